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

/** Speaks to Hadoop's client in its words, and tells its failures in the JDK's. */
final class HadoopFileSystemClient {
  /** Those of which a NameNode keeps all names, and changes them under one lock. */
  private static final List<String> RENAMES_IN_ONE_STEP = List.of("hdfs", "webhdfs", "swebhdfs");

  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0700);

  private final Configuration configuration;

  HadoopFileSystemClient(Configuration configuration) {
    this.configuration = configuration;
  }

  InputStream open(FilePath file, long offset) throws IOException {
    return translated(
        file,
        () -> {
          FSDataInputStream stream = files(file).open(place(file));
          try {
            stream.seek(offset);
            return stream;
          } catch (IOException | RuntimeException e) {
            stream.close();
            throw e;
          }
        });
  }

  /** Through the builder, which does not make directories that are missing. */
  OutputStream create(FilePath file) throws IOException {
    return translated(file, () -> files(file).createFile(place(file)).overwrite(false).build());
  }

  /**
   * Through the file context: the file system itself either refuses a target that is there or
   * removes it first, and whoever looked in between would see neither file.
   */
  void replace(FilePath from, FilePath to) throws IOException {
    translated(
        from,
        () -> {
          try {
            FileSystem files = files(from);
            FileContext.getFileContext(files.getUri(), configuration)
                .rename(
                    files.makeQualified(place(from)),
                    files.makeQualified(place(to)),
                    Rename.OVERWRITE);
          } catch (UnsupportedFileSystemException e) {
            throw new IOException(
                "Hadoop's client cannot replace a file at once in '"
                    + from.scheme()
                    + "', as results need: fs.AbstractFileSystem."
                    + from.scheme()
                    + ".impl is not set in core-site.xml",
                e);
          }
          return null;
        });
  }

  /** By where the directory really is: a view may lead anywhere. */
  boolean replacesInOneStep(FilePath directory) throws IOException {
    return translated(
        directory,
        () -> {
          Path real = files(directory).resolvePath(place(directory));
          return RENAMES_IN_ONE_STEP.contains(real.toUri().getScheme());
        });
  }

  boolean delete(FilePath path) throws IOException {
    return translated(path, () -> files(path).delete(place(path), false));
  }

  boolean deleteAll(FilePath path) throws IOException {
    return translated(path, () -> files(path).delete(place(path), true));
  }

  List<FileStatus> list(FilePath directory) throws IOException {
    return translated(
        directory,
        () -> {
          List<FileStatus> found = new ArrayList<>();
          for (org.apache.hadoop.fs.FileStatus entry :
              files(directory).listStatus(place(directory))) {
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
    return translated(
        path,
        () -> {
          try {
            return Optional.of(status(path, files(path).getFileStatus(place(path))));
          } catch (FileNotFoundException e) {
            return Optional.empty();
          }
        });
  }

  void createDirectories(FilePath directory) throws IOException {
    translated(
        directory,
        () -> {
          if (!files(directory).mkdirs(place(directory))) {
            throw new IOException("The directory " + directory + " could not be made");
          }
          return null;
        });
  }

  void createPrivateDirectory(FilePath directory) throws IOException {
    translated(
        directory,
        () -> {
          if (!files(directory).mkdirs(place(directory), OWNER_ONLY)) {
            throw new IOException("The directory " + directory + " could not be made");
          }
          return null;
        });
  }

  private FileSystem files(FilePath path) throws IOException {
    return FileSystem.get(place(path).toUri(), configuration);
  }

  /** In parts: a path in one text would be read as a URI, with its escapes. */
  private static Path place(FilePath path) {
    return new Path(
        path.scheme(), path.authority().isEmpty() ? null : path.authority(), path.path());
  }

  private static FileStatus status(FilePath path, org.apache.hadoop.fs.FileStatus found) {
    return new FileStatus(path, found.isDirectory(), found.isDirectory() ? 0 : found.getLen());
  }

  private interface Call<T> {
    T make() throws IOException;
  }

  private static <T> T translated(FilePath path, Call<T> call) throws IOException {
    try {
      return call.make();
    } catch (FileNotFoundException e) {
      throw caused(new NoSuchFileException(path.toString(), null, e.getMessage()), e);
    } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
      throw caused(new FileAlreadyExistsException(path.toString(), null, e.getMessage()), e);
    } catch (PathIsNotEmptyDirectoryException e) {
      throw caused(new DirectoryNotEmptyException(path.toString()), e);
    } catch (AccessControlException e) {
      throw caused(new AccessDeniedException(path.toString(), null, e.getMessage()), e);
    }
  }

  private static IOException caused(IOException told, IOException by) {
    told.initCause(by);
    return told;
  }
}
