package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.KerberosConfiguration;
import io.millrace.core.security.KerberosLogin;
import io.millrace.fs.hadoop.HadoopTokenProvider;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.StagedFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;

/**
 * The files of a user that containers get. Local files are uploaded; files on Hadoop's file system
 * are used where they are. A missing file is reported before the first upload.
 */
final class ShippedFiles {
  private static final List<String> ARCHIVES = List.of(".zip", ".tar", ".tar.gz", ".tgz", ".jar");
  private static final Set<String> RESERVED =
      Set.of(
          ContainerLayout.HOME,
          ContainerLayout.APPLICATION,
          ContainerLayout.APPLICATION_ARCHIVE,
          ContainerLayout.SECRETS,
          ContainerLayout.USER_JARS,
          ProvidedLibraries.LINKS,
          ContainerLayout.KEYTAB,
          ContainerLayout.KERBEROS_CONFIGURATION);

  private final org.apache.hadoop.conf.Configuration hadoop;
  private final Map<String, Item> items = new LinkedHashMap<>();

  private ShippedFiles(org.apache.hadoop.conf.Configuration hadoop) {
    this.hadoop = hadoop;
  }

  /** A file, directory or archive with a link in containers. */
  private sealed interface Item {}

  private record Local(Path file, LocalResourceType type, boolean forWorkers) implements Item {}

  /** A local directory, which is uploaded as an archive. */
  private record Tree(List<TarWriter.Entry> entries, boolean forWorkers) implements Item {}

  private record Remote(FileStatus status, LocalResourceType type, boolean forWorkers)
      implements Item {}

  static ShippedFiles of(DeploymentSpec plan, org.apache.hadoop.conf.Configuration hadoop) {
    ShippedFiles shipped = new ShippedFiles(hadoop);
    Configuration configuration = plan.configuration();
    boolean everywhere = configuration.get(YarnOptions.USER_JARS) != YarnOptions.UserJars.DISABLED;
    plan.jars()
        .forEach(
            (link, uri) ->
                shipped.read(
                    uri.toString(),
                    () -> shipped.add(link, uri, LocalResourceType.FILE, everywhere)));
    shipped.each(
        configuration,
        YarnOptions.SHIP_FILES,
        (name, uri) -> shipped.add(name, uri, LocalResourceType.FILE, true));
    shipped.each(configuration, YarnOptions.SHIP_ARCHIVES, shipped::addArchive);
    // With delegation tokens only the JobManager needs the keytab.
    boolean tokens =
        configuration.get(SecurityOptions.DELEGATION_TOKENS)
            && configuration.get(
                SecurityOptions.DELEGATION_TOKEN_PROVIDER.named(HadoopTokenProvider.SERVICE));
    KerberosLogin.in(configuration)
        .ifPresent(login -> shipped.addOwn(ContainerLayout.KEYTAB, login.keytab(), !tokens));
    KerberosConfiguration.file(configuration)
        .ifPresent(file -> shipped.addOwn(ContainerLayout.KERBEROS_CONFIGURATION, file, true));
    return shipped;
  }

  private void addOwn(String link, Path file, boolean forWorkers) {
    items.put(link, new Local(file, LocalResourceType.FILE, forWorkers));
  }

  /** The configuration of processes with these files. */
  static Configuration in(Configuration configuration) {
    Configuration adapted = configuration;
    if (KerberosLogin.in(configuration).isPresent()) {
      adapted = adapted.with(SecurityOptions.KERBEROS_KEYTAB, ContainerLayout.KEYTAB);
    }
    return KerberosConfiguration.file(configuration).isPresent()
        ? adapted.with(
            SecurityOptions.KERBEROS_CONFIGURATION, ContainerLayout.KERBEROS_CONFIGURATION)
        : adapted;
  }

  private interface Addition {
    void add(String name, URI uri) throws IOException;
  }

  private interface Reading {
    void read() throws IOException;
  }

  private void each(Configuration configuration, Option<List<String>> option, Addition addition) {
    for (String named : configuration.get(option)) {
      URI uri =
          named.matches("[a-z0-9]+:/.*")
              ? URI.create(named)
              : Path.of(named).toAbsolutePath().normalize().toUri();
      String path = uri.getPath().replaceAll("/+$", "");
      String name = path.substring(path.lastIndexOf('/') + 1);
      if (RESERVED.contains(name) || items.containsKey(name)) {
        throw user(
            "Containers cannot get "
                + named
                + " ("
                + option.key()
                + ") under its name: they have another '"
                + name
                + "'. Rename it.",
            null);
      }
      read(named + " (" + option.key() + ")", () -> addition.add(name, uri));
    }
  }

  private void read(String what, Reading reading) {
    try {
      reading.read();
    } catch (FileNotFoundException | java.nio.file.NoSuchFileException e) {
      throw user("There is no " + what + ". Check the path.", e);
    } catch (IOException e) {
      throw user(what + " cannot be read: " + YarnResourceManagerClient.firstLine(e), e);
    }
  }

  private void addArchive(String name, URI uri) throws IOException {
    String lower = name.toLowerCase(Locale.ROOT);
    if (ARCHIVES.stream().noneMatch(lower::endsWith)) {
      throw user(
          uri
              + " ("
              + YarnOptions.SHIP_ARCHIVES.key()
              + ") is not an archive that YARN unpacks: "
              + String.join(", ", ARCHIVES)
              + ".",
          null);
    }
    add(name, uri, LocalResourceType.ARCHIVE, true);
  }

  private void add(String link, URI uri, LocalResourceType type, boolean forWorkers)
      throws IOException {
    if (uri.getScheme().equals("file")) {
      Path file = Path.of(uri);
      if (Files.isDirectory(file)) {
        items.put(link, new Tree(tree(file), forWorkers));
      } else if (Files.isReadable(file)) {
        items.put(link, new Local(file, type, forWorkers));
      } else {
        throw new FileNotFoundException(file.toString());
      }
      return;
    }
    org.apache.hadoop.fs.Path remote = new org.apache.hadoop.fs.Path(uri);
    FileSystem files = remote.getFileSystem(hadoop);
    FileStatus status = files.getFileStatus(remote);
    if (!status.isDirectory()) {
      items.put(link, new Remote(status, type, forWorkers));
      return;
    }
    for (FileStatus below : files.listStatus(remote)) {
      add(link + "/" + below.getPath().getName(), below.getPath().toUri(), type, forWorkers);
    }
  }

  private static List<TarWriter.Entry> tree(Path directory) throws IOException {
    List<TarWriter.Entry> entries = new ArrayList<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        entries.add(TarWriter.Entry.of(directory.relativize(file).toString(), file));
      }
    }
    return entries;
  }

  /** Adds local files to the uploads. */
  void send(StagingDirectory staging, ParallelUpload uploads) {
    items.forEach(
        (link, item) -> {
          if (item instanceof Local local) {
            staging.add(
                uploads,
                staged(link),
                local.file().toFile().length(),
                out -> Files.copy(local.file(), out));
          } else if (item instanceof Tree tree) {
            staging.add(
                uploads,
                staged(link) + ".tar",
                TarWriter.length(tree.entries()),
                out -> new TarWriter(out).write(tree.entries()));
          }
        });
  }

  /** The files for containers, after the uploads. */
  List<StagedFile> staged(StagingDirectory staging) throws IOException {
    List<StagedFile> staged = new ArrayList<>();
    for (Map.Entry<String, Item> entry : items.entrySet()) {
      String link = entry.getKey();
      Item item = entry.getValue();
      if (item instanceof Local local) {
        staged.add(staging.staged(staged(link), link, local.type(), local.forWorkers()));
      } else if (item instanceof Tree tree) {
        staged.add(
            staging.staged(
                staged(link) + ".tar", link, LocalResourceType.ARCHIVE, tree.forWorkers()));
      } else if (item instanceof Remote remote) {
        staged.add(
            StagingDirectory.staged(
                remote.status(),
                link,
                remote.type(),
                LocalResourceVisibility.APPLICATION,
                remote.forWorkers()));
      }
    }
    return staged;
  }

  /** The name of a link in the staging directory, which has no subdirectories. */
  private static String staged(String link) {
    return link.replace("/", "--");
  }

  private static MillraceException user(String message, Throwable cause) {
    return new MillraceException(ErrorKind.USER, message, cause);
  }
}
