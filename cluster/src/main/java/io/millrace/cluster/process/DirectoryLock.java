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
 * Locks the directory of workers, so that a second JobManager cannot take over workers of a running
 * one. The operating system releases the lock when the process ends.
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
          "The driver cannot write its files to "
              + root
              + " ("
              + ProcessOptions.DIRECTORY.key()
              + "): "
              + e,
          e);
    }
    throw new MillraceException(
        ErrorKind.USER,
        "Another JobManager uses the worker directory "
            + root
            + ". Set "
            + ProcessOptions.DIRECTORY.key()
            + " to another directory for this JobManager.");
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
      throw new UncheckedIOException("The lock of the worker directory cannot be released", e);
    }
  }
}
