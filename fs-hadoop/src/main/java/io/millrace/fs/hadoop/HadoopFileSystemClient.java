package io.millrace.fs.hadoop;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;

/** Calls Hadoop's client and translates its exceptions into those of the JDK. */
final class HadoopFileSystemClient {
  /** The schemes of file systems whose NameNode renames under one lock, that is atomically. */
  private static final List<String> SCHEMES_WITH_ATOMIC_RENAME =
      List.of("hdfs", "webhdfs", "swebhdfs");

  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0700);

  private final Configuration configuration;

  HadoopFileSystemClient(Configuration configuration) {
    this.configuration = configuration;
  }

  InputStream open(FilePath file, long offset) throws IOException {
    return translateExceptions(
        file,
        () -> {
          FSDataInputStream stream = files(file).open(hadoopPath(file));
          try {
            stream.seek(offset);
            return stream;
          } catch (IOException | RuntimeException e) {
            stream.close();
            throw e;
          }
        });
  }

  /** Through the builder, because {@code create} would create missing directories. */
  OutputStream create(FilePath file) throws IOException {
    return translateExceptions(
        file, () -> files(file).createFile(hadoopPath(file)).overwrite(false).build());
  }

  /**
   * Through the file context: {@code FileSystem.rename} either fails if the target exists or
   * deletes it first, so that a reader could find no file in between.
   */
  void replace(FilePath from, FilePath to) throws IOException {
    translateExceptions(
        from,
        () -> {
          try {
            FileSystem files = files(from);
            FileContext.getFileContext(files.getUri(), configuration)
                .rename(
                    files.makeQualified(hadoopPath(from)),
                    files.makeQualified(hadoopPath(to)),
                    Rename.OVERWRITE);
          } catch (UnsupportedFileSystemException e) {
            throw new IOException(
                "Hadoop's client cannot replace a file atomically in '"
                    + from.scheme()
                    + "', which is needed to write results: fs.AbstractFileSystem."
                    + from.scheme()
                    + ".impl is not set in core-site.xml",
                e);
          }
          return null;
        });
  }

  /** Depends on the resolved path: a viewfs path may lead to any file system. */
  boolean replacesInOneStep(FilePath directory) throws IOException {
    return translateExceptions(
        directory,
        () -> {
          Path real = files(directory).resolvePath(hadoopPath(directory));
          return SCHEMES_WITH_ATOMIC_RENAME.contains(real.toUri().getScheme());
        });
  }

  boolean delete(FilePath path) throws IOException {
    return translateExceptions(path, () -> files(path).delete(hadoopPath(path), false));
  }

  boolean deleteAll(FilePath path) throws IOException {
    return translateExceptions(path, () -> files(path).delete(hadoopPath(path), true));
  }

  List<FileStatus> list(FilePath directory) throws IOException {
    return translateExceptions(
        directory,
        () -> {
          List<FileStatus> found = new ArrayList<>();
          for (org.apache.hadoop.fs.FileStatus entry :
              files(directory).listStatus(hadoopPath(directory))) {
            found.add(status(directory.child(entry.getPath().getName()), entry));
          }
          // Hadoop lists a file as the only entry of itself.
          if (found.size() == 1
              && found.get(0).path().name().equals(directory.name())
              && status(directory).filter(one -> !one.isDirectory()).isPresent()) {
            throw new NotDirectoryException(directory.toString());
          }
          found.sort(Comparator.comparing(entry -> entry.path().name()));
          return found;
        });
  }

  Optional<FileStatus> status(FilePath path) throws IOException {
    return translateExceptions(
        path,
        () -> {
          try {
            return Optional.of(status(path, files(path).getFileStatus(hadoopPath(path))));
          } catch (FileNotFoundException e) {
            return Optional.empty();
          }
        });
  }

  void createDirectories(FilePath directory) throws IOException {
    translateExceptions(
        directory,
        () -> {
          if (!files(directory).mkdirs(hadoopPath(directory))) {
            throw new IOException("Cannot create the directory " + directory);
          }
          return null;
        });
  }

  void createPrivateDirectory(FilePath directory) throws IOException {
    translateExceptions(
        directory,
        () -> {
          if (!files(directory).mkdirs(hadoopPath(directory), OWNER_ONLY)) {
            throw new IOException("Cannot create the directory " + directory);
          }
          return null;
        });
  }

  private FileSystem files(FilePath path) throws IOException {
    return FileSystem.get(hadoopPath(path).toUri(), configuration);
  }

  /** From its parts, because a path in one text would be parsed as a URI with escapes. */
  private static Path hadoopPath(FilePath path) {
    return new Path(
        path.scheme(), path.authority().isEmpty() ? null : path.authority(), path.path());
  }

  private static FileStatus status(FilePath path, org.apache.hadoop.fs.FileStatus found) {
    return new FileStatus(path, found.isDirectory(), found.isDirectory() ? 0 : found.getLen());
  }

  private interface Call<T> {
    T run() throws IOException;
  }

  private static <T> T translateExceptions(FilePath path, Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (FileNotFoundException e) {
      throw withCause(new NoSuchFileException(path.toString(), null, e.getMessage()), e);
    } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
      throw withCause(new FileAlreadyExistsException(path.toString(), null, e.getMessage()), e);
    } catch (PathIsNotEmptyDirectoryException e) {
      throw withCause(new DirectoryNotEmptyException(path.toString()), e);
    } catch (AccessControlException e) {
      throw withCause(new AccessDeniedException(path.toString(), null, e.getMessage()), e);
    }
  }

  private static IOException withCause(IOException exception, IOException cause) {
    exception.initCause(cause);
    return exception;
  }
}
