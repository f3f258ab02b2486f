package io.millrace.yarn.client;

import io.millrace.client.ConfigurationFile;
import io.millrace.client.Progress;
import io.millrace.core.OrderedCopies;
import io.millrace.core.Sha256;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.yarn.launch.ContainerLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The distribution that this process was started from, as one archive for containers.
 *
 * @param files in the order of their names
 */
record EngineArchive(String version, List<TarWriter.Entry> files) {
  private static final String LIBRARIES = "lib";
  private static final String PLUGINS = "plugins";

  private static final int HASH_DIGITS = 16;
  private static final Pattern ARCHIVE_NAME =
      Pattern.compile("millrace-.+-([0-9a-f]{" + HASH_DIGITS + "})\\.tar");

  EngineArchive {
    files = OrderedCopies.list(files);
  }

  static EngineArchive ofThisProcess(Progress progress) {
    Path home =
        ConfigurationFile.home()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER,
                        "This process was not started from a distribution, so there are no"
                            + " libraries for YARN. Use the millrace command of a distribution."));
    EngineArchive engine =
        of(
            home,
            Plugins.directory(System.getenv(), Optional.of(home)).orElseThrow(),
            Optional.ofNullable(EngineArchive.class.getPackage().getImplementationVersion())
                .orElse("development"));
    return new CdsArchive(home).find(engine.classPath(), progress).map(engine::with).orElse(engine);
  }

  private EngineArchive with(Path cdsArchive) {
    List<TarWriter.Entry> all = new ArrayList<>(files);
    try {
      all.add(TarWriter.Entry.of(ContainerLayout.CDS_ARCHIVE, cdsArchive));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new EngineArchive(version, all);
  }

  /** Whether it has a CDS archive. */
  boolean hasCdsArchive() {
    return files.stream().anyMatch(file -> file.name().equals(ContainerLayout.CDS_ARCHIVE));
  }

  /**
   * @param plugins the directory of plugins, which need not be in the distribution
   */
  static EngineArchive of(Path home, Path plugins, String version) {
    List<TarWriter.Entry> entries = new ArrayList<>();
    try {
      add(LIBRARIES, home.resolve(LIBRARIES), entries);
      add(PLUGINS, plugins, entries);
    } catch (IOException | UncheckedIOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The distribution in "
              + home
              + " with the plugins in "
              + plugins
              + " cannot be read: "
              + e
              + ". Unpack it again.",
          e);
    }
    return new EngineArchive(version, entries);
  }

  /** A directory of plugins may consist of links. */
  private static void add(String name, Path directory, List<TarWriter.Entry> entries)
      throws IOException {
    try (Stream<Path> all = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        String path = directory.relativize(file).toString().replace('\\', '/');
        entries.add(TarWriter.Entry.of(name + "/" + path, file));
      }
    }
  }

  /**
   * The file name of the archive. It depends on names, sizes and times of the files, not on their
   * content, because each submission would have to read a hundred megabytes.
   */
  String archiveName() {
    MessageDigest digest = Sha256.begin();
    for (TarWriter.Entry file : files) {
      digest.update(
          (file.name() + "\0" + file.size() + "\0" + file.modified() + "\n")
              .getBytes(StandardCharsets.UTF_8));
    }
    String hash = HexFormat.of().formatHex(digest.digest()).substring(0, HASH_DIGITS);
    return "millrace-" + version + "-" + hash + ".tar";
  }

  /** The hash in the file name of an archive; empty if it is another file. */
  static Optional<String> hash(String fileName) {
    return Optional.of(ARCHIVE_NAME.matcher(fileName))
        .filter(Matcher::matches)
        .map(name -> name.group(1));
  }

  long archiveLength() {
    return TarWriter.length(files);
  }

  /**
   * The jars with their paths in a container. They are listed in a fixed order, because a JVM
   * ignores its CDS archive otherwise.
   */
  List<String> classPath() {
    List<String> jars = new ArrayList<>();
    for (String directory : ContainerLayout.CLASS_PATH) {
      for (TarWriter.Entry file : files) {
        String name = file.name();
        if (name.endsWith(".jar")
            && name.lastIndexOf('/') == directory.length()
            && name.startsWith(directory + "/")) {
          jars.add(ContainerLayout.HOME + "/" + name);
        }
      }
    }
    return jars;
  }
}
