package io.millrace.cluster.process;

import io.millrace.core.config.ProcessOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Keeps a second JobManager from taking the workers of a living one for its own. The system lets go
 * of it when the process ends, however it ends.
 */
final class DirectoryLock {
  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  static DirectoryLock take(Path root) {
    try {
      Path workers = root.resolve(WorkerFiles.WORKERS);
      Files.createDirectories(
          workers,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      FileChannel channel =
          FileChannel.open(
              workers.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (isLocked(channel)) {
        return new DirectoryLock(channel);
      }
      channel.close();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The driver cannot keep its files in "
              + root
              + " ("
              + ProcessOptions.DIRECTORY.key()
              + "): "
              + e,
          e);
    }
    throw new MillraceException(
        ErrorKind.USER,
        "Another JobManager keeps its workers in "
            + root
            + ". Give this one a directory of its own ("
            + ProcessOptions.DIRECTORY.key()
            + ").");
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException heldByThisProcess) {
      return false;
    }
  }

  void release() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("The lock of the workers' directory cannot be released", e);
    }
  }
}
