package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.StagedFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directory of an application's files on Hadoop's file system. */
final class StagingDirectory {
  private static final String PARENT = ".millrace";
  private static final FsPermission DIRECTORY = new FsPermission((short) 0700);
  private static final FsPermission FILE = new FsPermission((short) 0600);

  private static final Logger LOG = LoggerFactory.getLogger(StagingDirectory.class);
  private static final String TOKEN = "rest.token";

  /** A file that exists until the submission. */
  private static final String UNSUBMITTED = "not-submitted-yet";

  private static final int MAX_TOKEN_BYTES = 1000;

  /** File systems whose directories have owners and permissions that are enforced. */
  private static final Set<String> WITH_OWNERS = Set.of("hdfs", "webhdfs", "swebhdfs", "viewfs");

  private final FileSystem files;
  private final Optional<Path> shared;
  private final Path directory;
  private final int replication;

  /**
   * @param shared the directory that several users share, if the configuration names one
   */
  private StagingDirectory(
      FileSystem files, Optional<Path> shared, Path directory, int replication) {
    this.files = files;
    this.shared = shared;
    this.directory = directory;
    this.replication = replication;
  }

  /** Does not create the directory. */
  static StagingDirectory of(
      Configuration configuration,
      org.apache.hadoop.conf.Configuration hadoop,
      String applicationId) {
    try {
      Optional<String> named = ApplicationRequirements.text(configuration, YarnOptions.STAGING_DIR);
      FileSystem files =
          named.isPresent() ? new Path(named.get()).getFileSystem(hadoop) : FileSystem.get(hadoop);
      if (named.isEmpty() && files.getScheme().equals("file")) {
        throw new MillraceException(
            ErrorKind.USER,
            "Hadoop's configuration names no file system that containers reach: fs.defaultFS is "
                + FileSystem.getDefaultUri(hadoop)
                + ". Set HADOOP_CONF_DIR to the directory with the cluster's core-site.xml, or "
                + YarnOptions.STAGING_DIR.key()
                + " to a directory that all nodes share.");
      }
      Optional<Path> shared = named.map(Path::new).map(files::makeQualified);
      Path base =
          shared
              .map(parent -> new Path(parent, HadoopContext.userName()))
              .orElseGet(files::getHomeDirectory);
      return new StagingDirectory(
          files,
          shared,
          files.makeQualified(new Path(new Path(base, PARENT), applicationId)),
          configuration.get(YarnOptions.FILE_REPLICATION));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Hadoop's file system for the application's files cannot be opened: "
              + YarnResourceManagerClient.firstLine(e)
              + ".",
          e);
    }
  }

  /**
   * Opens the file system in a thread, so that a later {@link #of} finds it open: the classes of
   * HDFS take as long to load as the connection to YARN.
   */
  static void openInBackground(
      Configuration configuration, org.apache.hadoop.conf.Configuration hadoop) {
    Thread thread =
        new Thread(() -> PluginContext.run(() -> open(configuration, hadoop)), "open-file-system");
    thread.setDaemon(true);
    thread.start();
  }

  private static void open(
      Configuration configuration, org.apache.hadoop.conf.Configuration hadoop) {
    try {
      StagingDirectory any = of(configuration, hadoop, "any");
      any.files.exists(any.directory.getParent());
    } catch (IOException | RuntimeException e) {
      // The deployment gets the same error and reports it.
      LOG.debug("The file system could not be opened in advance", e);
    }
  }

  Path directory() {
    return directory;
  }

  void make() {
    try {
      // One after the other: parents that mkdirs creates have default permissions.
      if (shared.isPresent()) {
        makePrivate(directory.getParent().getParent());
      }
      makePrivate(directory.getParent());
      FileSystem.mkdirs(files, directory, DIRECTORY);
      create(files, new Path(directory, UNSUBMITTED), FILE, replication).close();
    } catch (IOException e) {
      throw failed("create", e);
    }
  }

  /**
   * Creates a directory of this user. Another user who had created it before could read and replace
   * what is written there.
   */
  private void makePrivate(Path own) throws IOException {
    if (!files.exists(own)) {
      FileSystem.mkdirs(files, own, DIRECTORY);
    }
    FileStatus status = files.getFileStatus(own);
    if (shared.isPresent()
        && WITH_OWNERS.contains(files.getScheme())
        && !status.getOwner().equals(HadoopContext.userName())) {
      throw new MillraceException(
          ErrorKind.USER,
          own
              + " belongs to user "
              + status.getOwner()
              + ", so the files of user "
              + HadoopContext.userName()
              + " would not be safe there. Have it removed, or set "
              + YarnOptions.STAGING_DIR.key()
              + " to another directory.");
    }
  }

  /** The application owns the directory from now on. */
  void submitted() {
    try {
      files.delete(new Path(directory, UNSUBMITTED), false);
    } catch (IOException e) {
      throw failed("change", e);
    }
  }

  /** Whether it exists and its application was never submitted. */
  boolean isUnsubmitted() throws IOException {
    return files.exists(new Path(directory, UNSUBMITTED));
  }

  /** Adds a file to the uploads; {@link #staged} describes it afterwards. */
  void add(ParallelUpload uploads, String name, long size, Content content) {
    uploads.add(
        name,
        size,
        meter -> {
          try (OutputStream out =
              meter.counting(create(files, new Path(directory, name), FILE, replication))) {
            content.writeTo(out);
          }
        });
  }

  /** Adds the token of REST clients, for clients on other machines. */
  void addToken(ParallelUpload uploads, String token) {
    byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
    add(uploads, TOKEN, bytes.length, out -> out.write(bytes));
  }

  /** The token, if it exists and this user may read it. */
  Optional<String> token() {
    try (InputStream in = files.open(new Path(directory, TOKEN))) {
      return Optional.of(new String(in.readNBytes(MAX_TOKEN_BYTES), StandardCharsets.UTF_8));
    } catch (FileNotFoundException | AccessControlException e) {
      LOG.debug("There is no token to read in {}", directory, e);
      return Optional.empty();
    } catch (IOException e) {
      throw failed("read a token from", e);
    }
  }

  /** Writes a file's bytes. */
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * @param replication below 1 for the default of the file system
   */
  static OutputStream create(FileSystem files, Path file, FsPermission permission, int replication)
      throws IOException {
    // Does not create the directory, which an interrupted deployment removes concurrently.
    return files
        .createFile(file)
        .permission(permission)
        .overwrite(false)
        .replication(replication < 1 ? files.getDefaultReplication(file) : (short) replication)
        .build();
  }

  /** A file of this directory for containers. */
  StagedFile staged(String name, String link, LocalResourceType type, boolean forWorkers)
      throws IOException {
    return staged(
        files.getFileStatus(new Path(directory, name)),
        link,
        type,
        LocalResourceVisibility.APPLICATION,
        forWorkers);
  }

  static StagedFile staged(
      FileStatus status,
      String link,
      LocalResourceType type,
      LocalResourceVisibility visibility,
      boolean forWorkers) {
    return new StagedFile(
        link,
        status.getPath().toUri(),
        status.getLen(),
        status.getModificationTime(),
        type,
        visibility,
        forWorkers);
  }

  /** The applications with a directory in the same parent, with this one. */
  List<String> siblings() throws IOException {
    List<String> names = new ArrayList<>();
    try {
      for (FileStatus entry : files.listStatus(directory.getParent())) {
        names.add(entry.getPath().getName());
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    return names;
  }

  /** The time of the last change; the epoch if the directory does not exist. */
  Instant lastTouched() throws IOException {
    try {
      long latest = files.getFileStatus(directory).getModificationTime();
      for (FileStatus entry : files.listStatus(directory)) {
        latest = Math.max(latest, entry.getModificationTime());
      }
      return Instant.ofEpochMilli(latest);
    } catch (FileNotFoundException e) {
      return Instant.EPOCH;
    }
  }

  /** Removes it with its content, if it exists. */
  boolean remove() throws IOException {
    return files.delete(directory, true);
  }

  MillraceException failed(String what, IOException e) {
    if (e instanceof AccessControlException) {
      return new MillraceException(
          ErrorKind.USER,
          "User "
              + HadoopContext.userName()
              + " may not "
              + what
              + " the application's directory "
              + directory
              + ": "
              + YarnResourceManagerClient.firstLine(e)
              + shared
                  .map(
                      parent ->
                          ". Have "
                              + parent
                              + " ("
                              + YarnOptions.STAGING_DIR.key()
                              + ") opened for all users, who have a directory each in it: hdfs dfs"
                              + " -chmod 1777 "
                              + parent.toUri().getPath())
                  .orElse(
                      ". Have the user's home directory created, or set "
                          + YarnOptions.STAGING_DIR.key()
                          + " to a directory that the user may write")
              + ".",
          e);
    }
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "Hadoop's file system could not "
            + what
            + " the application's directory "
            + directory
            + ": "
            + YarnResourceManagerClient.firstLine(e)
            + ". Check that "
            + files.getUri()
            + " is up and has room.",
        e);
  }
}
