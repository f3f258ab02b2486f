package io.millrace.core.fs;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The local file system. */
final class LocalFileSystem implements FileSystem {
  @Override
  public List<String> schemes() {
    return List.of(FilePath.LOCAL);
  }

  @Override
  public InputStream open(FilePath file, long offset) throws IOException {
    // Opening a pipe blocks until there is a writer and cannot be interrupted.
    if (Files.readAttributes(local(file), BasicFileAttributes.class).isOther()) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + file
              + "' is a pipe, a socket or a device. Only files can be read: their bytes can be"
              + " divided among tasks and read again after a failure. Write the data to a file"
              + " first.");
    }
    FileChannel channel = FileChannel.open(local(file), StandardOpenOption.READ);
    try {
      channel.position(offset);
      return Channels.newInputStream(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public OutputStream create(FilePath file) throws IOException {
    return Files.newOutputStream(
        local(file), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  @Override
  public void replace(FilePath from, FilePath to) throws IOException {
    Files.move(local(from), local(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    return Files.deleteIfExists(local(path));
  }

  /** Without sockets and devices, which cannot be read as files. */
  @Override
  public List<FileStatus> list(FilePath directory) throws IOException {
    List<String> names;
    try (Stream<Path> entries = Files.list(local(directory))) {
      names = entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
    List<FileStatus> found = new ArrayList<>();
    for (String name : names) {
      FilePath child = directory.child(name);
      Optional<BasicFileAttributes> attributes = attributes(child);
      if (attributes.isPresent()
          && (attributes.get().isRegularFile() || attributes.get().isDirectory())) {
        found.add(status(child, attributes.get()));
      }
    }
    return found;
  }

  @Override
  public Optional<FileStatus> status(FilePath path) throws IOException {
    return attributes(path).map(attributes -> status(path, attributes));
  }

  @Override
  public void createDirectories(FilePath directory) throws IOException {
    Files.createDirectories(local(directory));
  }

  @Override
  public void createPrivateDirectory(FilePath directory) throws IOException {
    Path path = local(directory);
    if (path.getParent() != null) {
      Files.createDirectories(path.getParent());
    }
    Files.createDirectories(path, ownerOnly());
  }

  private static FileAttribute<?>[] ownerOnly() {
    return java.nio.file.FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
        }
        : new FileAttribute<?>[0];
  }

  private static FileStatus status(FilePath path, BasicFileAttributes attributes) {
    return new FileStatus(
        path, attributes.isDirectory(), attributes.isDirectory() ? 0 : attributes.size());
  }

  /** Empty also for a dangling link, and for a file deleted after its directory was listed. */
  private static Optional<BasicFileAttributes> attributes(FilePath path) throws IOException {
    try {
      return Optional.of(Files.readAttributes(local(path), BasicFileAttributes.class));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static Path local(FilePath path) {
    return Path.of(path.path());
  }
}
