package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.StagedFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;

/**
 * Directories with the engine's libraries for all applications. Nodes cache the files, so that a
 * later application copies nothing.
 */
final class ProvidedLibraries {
  /** The directory of further jars in a container. */
  static final String LINKS = "provided";

  private static final String LOCAL = "file";

  private static final FsPermission DIRECTORY = new FsPermission((short) 0755);
  private static final FsPermission FILE = new FsPermission((short) 0644);

  private final List<Path> directories;
  private final org.apache.hadoop.conf.Configuration hadoop;
  private final int replication;

  private ProvidedLibraries(
      List<Path> directories, org.apache.hadoop.conf.Configuration hadoop, int replication) {
    this.directories = OrderedCopies.list(directories);
    this.hadoop = hadoop;
    this.replication = replication;
  }

  static ProvidedLibraries of(
      Configuration configuration, org.apache.hadoop.conf.Configuration hadoop) {
    List<Path> directories =
        configuration.get(YarnOptions.PROVIDED_LIB_DIRS).stream().map(Path::new).toList();
    directories.forEach(directory -> checkShared(directory, hadoop));
    return new ProvidedLibraries(
        directories, hadoop, configuration.get(YarnOptions.FILE_REPLICATION));
  }

  /** Nodes do not have the files of this machine, and would fail to start containers. */
  private static void checkShared(Path directory, org.apache.hadoop.conf.Configuration hadoop) {
    String scheme =
        Optional.ofNullable(directory.toUri().getScheme())
            .orElseGet(() -> FileSystem.getDefaultUri(hadoop).getScheme());
    if (LOCAL.equals(scheme) && !LOCAL.equals(FileSystem.getDefaultUri(hadoop).getScheme())) {
      throw new MillraceException(
          ErrorKind.USER,
          YarnOptions.PROVIDED_LIB_DIRS.key()
              + " names "
              + directory
              + ", a directory of this machine, which the nodes of YARN do not have. Name one on "
              + FileSystem.getDefaultUri(hadoop)
              + ", such as /apps/millrace.");
    }
  }

  /** The tag in YARN of applications that use this archive, which then must not be removed. */
  static String tag(String archiveName) {
    return "millrace-libraries-" + EngineArchive.hash(archiveName).orElseThrow();
  }

  boolean isUsed() {
    return !directories.isEmpty();
  }

  /** The engine's archive, which is uploaded if it is missing. */
  StagedFile archive(EngineArchive engine, Progress progress) {
    String name = engine.archiveName();
    try {
      for (Path directory : directories) {
        Optional<FileStatus> found = find(new Path(directory, name), engine.archiveLength());
        if (found.isPresent()) {
          return staged(found.get(), ContainerLayout.HOME, LocalResourceType.ARCHIVE);
        }
      }
      return staged(put(engine, name, progress), ContainerLayout.HOME, LocalResourceType.ARCHIVE);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private MillraceException failed(IOException e) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "The shared libraries in "
            + directories
            + " ("
            + YarnOptions.PROVIDED_LIB_DIRS.key()
            + ") cannot be read or written: "
            + YarnResourceManagerClient.firstLine(e)
            + ". Give this user the permission, or let a user with it submit once.",
        e);
  }

  private Optional<FileStatus> find(Path file, long length) throws IOException {
    try {
      FileStatus status = file.getFileSystem(hadoop).getFileStatus(file);
      return status.getLen() == length ? Optional.of(status) : Optional.empty();
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /** Writes to a temporary name first, so that no reader sees an incomplete file. */
  private FileStatus put(EngineArchive engine, String name, Progress progress) throws IOException {
    Path directory = directories.get(0);
    FileSystem files = directory.getFileSystem(hadoop);
    if (!files.exists(directory)) {
      FileSystem.mkdirs(files, directory, DIRECTORY);
    }
    byte[] random = new byte[8];
    new SecureRandom().nextBytes(random);
    Path draft = new Path(directory, "." + name + "." + HexFormat.of().formatHex(random));
    Path target = files.makeQualified(new Path(directory, name));
    try {
      ParallelUpload uploads = new ParallelUpload(progress);
      uploads.add(
          name,
          engine.archiveLength(),
          meter -> {
            try (OutputStream out =
                meter.counting(StagingDirectory.create(files, draft, FILE, replication))) {
              new TarWriter(out).write(engine.files());
            }
          });
      uploads.await(target + ", for later applications, too");
      // The umask of the process may have removed permissions.
      files.setPermission(draft, FILE);
      if (!files.rename(draft, target)) {
        // Another client was faster, or has left a broken file.
        Optional<FileStatus> existing = find(target, engine.archiveLength());
        if (existing.isPresent()) {
          return existing.get();
        }
        files.delete(target, false);
        if (!files.rename(draft, target)) {
          throw new IOException(draft + " cannot be renamed to " + target);
        }
      }
      return files.getFileStatus(target);
    } finally {
      files.delete(draft, false);
    }
  }

  /** Jars that an administrator has added for all applications. */
  List<StagedFile> furtherJars() {
    List<StagedFile> jars = new ArrayList<>();
    try {
      for (Path directory : directories) {
        FileSystem files = directory.getFileSystem(hadoop);
        if (files.exists(directory)) {
          for (FileStatus status : files.listStatus(directory)) {
            String name = status.getPath().getName();
            if (status.isFile() && name.endsWith(".jar") && !name.startsWith(".")) {
              jars.add(staged(status, LINKS + "/" + name, LocalResourceType.FILE));
            }
          }
        }
      }
    } catch (IOException e) {
      throw failed(e);
    }
    jars.sort(Comparator.comparing(StagedFile::link));
    return jars;
  }

  private StagedFile staged(FileStatus status, String link, LocalResourceType type)
      throws IOException {
    return StagingDirectory.staged(status, link, type, visibility(status), true);
  }

  /** YARN shares a file among users only if all users can read it and its parent directories. */
  private LocalResourceVisibility visibility(FileStatus file) throws IOException {
    FileSystem files = file.getPath().getFileSystem(hadoop);
    boolean open = file.getPermission().getOtherAction().implies(FsAction.READ);
    for (Path parent = file.getPath().getParent();
        open && parent != null;
        parent = parent.getParent()) {
      open = files.getFileStatus(parent).getPermission().getOtherAction().implies(FsAction.EXECUTE);
    }
    return open ? LocalResourceVisibility.PUBLIC : LocalResourceVisibility.PRIVATE;
  }
}
