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
 * The files of a user that containers get: from here, or from where they are already. Whatever is
 * missing is found before the first is sent.
 */
final class ShippedFiles {
  private static final List<String> ARCHIVES = List.of(".zip", ".tar", ".tar.gz", ".tgz", ".jar");
  private static final Set<String> TAKEN =
      Set.of(
          ContainerLayout.HOME,
          ContainerLayout.APPLICATION,
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

  /** Something that is linked in containers. */
  private sealed interface Item {}

  private record Local(Path file, LocalResourceType type, boolean forWorkers) implements Item {}

  /** A directory here, which travels as an archive. */
  private record Tree(List<TarWriter.Entry> entries, boolean forWorkers) implements Item {}

  private record Remote(FileStatus status, LocalResourceType type, boolean forWorkers)
      implements Item {}

  static ShippedFiles of(DeploymentSpec plan, org.apache.hadoop.conf.Configuration hadoop) {
    ShippedFiles shipping = new ShippedFiles(hadoop);
    Configuration configuration = plan.configuration();
    boolean everywhere = configuration.get(YarnOptions.USER_JARS) != YarnOptions.UserJars.DISABLED;
    plan.jars()
        .forEach(
            (link, place) ->
                shipping.read(
                    place.toString(),
                    () -> shipping.add(link, place, LocalResourceType.FILE, everywhere)));
    shipping.each(
        configuration,
        YarnOptions.SHIP_FILES,
        (name, place) -> shipping.add(name, place, LocalResourceType.FILE, true));
    shipping.each(configuration, YarnOptions.SHIP_ARCHIVES, shipping::addArchive);
    // TaskManagers live on the tokens that the JobManager gets with it.
    boolean tokens =
        configuration.get(SecurityOptions.DELEGATION_TOKENS)
            && configuration.get(
                SecurityOptions.DELEGATION_TOKEN_PROVIDER.named(HadoopTokenProvider.SERVICE));
    KerberosLogin.in(configuration)
        .ifPresent(login -> shipping.addOwn(ContainerLayout.KEYTAB, login.keytab(), !tokens));
    KerberosConfiguration.file(configuration)
        .ifPresent(file -> shipping.addOwn(ContainerLayout.KERBEROS_CONFIGURATION, file, true));
    return shipping;
  }

  private void addOwn(String link, Path file, boolean forWorkers) {
    items.put(link, new Local(file, LocalResourceType.FILE, forWorkers));
  }

  /** The configuration of processes that have these files. */
  static Configuration in(Configuration configuration) {
    Configuration there = configuration;
    if (KerberosLogin.in(configuration).isPresent()) {
      there = there.with(SecurityOptions.KERBEROS_KEYTAB, ContainerLayout.KEYTAB);
    }
    return KerberosConfiguration.file(configuration).isPresent()
        ? there.with(SecurityOptions.KERBEROS_CONFIGURATION, ContainerLayout.KERBEROS_CONFIGURATION)
        : there;
  }

  private interface Addition {
    void add(String name, URI place) throws IOException;
  }

  private interface Reading {
    void read() throws IOException;
  }

  private void each(Configuration configuration, Option<List<String>> option, Addition addition) {
    for (String named : configuration.get(option)) {
      URI place =
          named.matches("[a-z0-9]+:/.*")
              ? URI.create(named)
              : Path.of(named).toAbsolutePath().normalize().toUri();
      String path = place.getPath().replaceAll("/+$", "");
      String name = path.substring(path.lastIndexOf('/') + 1);
      if (TAKEN.contains(name) || items.containsKey(name)) {
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
      read(named + " (" + option.key() + ")", () -> addition.add(name, place));
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

  private void addArchive(String name, URI place) throws IOException {
    String lower = name.toLowerCase(Locale.ROOT);
    if (ARCHIVES.stream().noneMatch(lower::endsWith)) {
      throw user(
          place
              + " ("
              + YarnOptions.SHIP_ARCHIVES.key()
              + ") is not an archive that YARN unpacks: "
              + String.join(", ", ARCHIVES)
              + ".",
          null);
    }
    add(name, place, LocalResourceType.ARCHIVE, true);
  }

  private void add(String link, URI place, LocalResourceType type, boolean forWorkers)
      throws IOException {
    if (place.getScheme().equals("file")) {
      Path file = Path.of(place);
      if (Files.isDirectory(file)) {
        items.put(link, new Tree(tree(file), forWorkers));
      } else if (Files.isReadable(file)) {
        items.put(link, new Local(file, type, forWorkers));
      } else {
        throw new FileNotFoundException(file.toString());
      }
      return;
    }
    org.apache.hadoop.fs.Path remote = new org.apache.hadoop.fs.Path(place);
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

  /** Adds what is not there yet to the uploads. */
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

  /** What containers get, once the uploads are done. */
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

  /** What a link is called in the staging directory, which is flat. */
  private static String staged(String link) {
    return link.replace("/", "--");
  }

  private static MillraceException user(String message, Throwable cause) {
    return new MillraceException(ErrorKind.USER, message, cause);
  }
}
