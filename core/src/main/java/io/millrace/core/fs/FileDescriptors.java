package io.millrace.core.fs;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.FileSystemException;
import java.util.Optional;

/**
 * The file descriptors of this process, which files and connections share. Whoever accepts
 * connections leaves {@link #reserve} of them to files, so that clients cannot keep a process from
 * storing what it has to.
 */
public final class FileDescriptors {
  private static final long FEWEST_RESERVED = 64;
  private static final long MOST_RESERVED = 1024;

  /** As few are left when a file cannot be opened for lack of them: others may have closed some. */
  private static final long FEW = 4;

  private FileDescriptors() {}

  private static Optional<UnixOperatingSystemMXBean> system() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? Optional.of(unix)
        : Optional.empty();
  }

  /** How many a process may have; as good as unlimited where the system does not say. */
  public static long limit() {
    return system()
        .map(UnixOperatingSystemMXBean::getMaxFileDescriptorCount)
        .orElse(Long.MAX_VALUE);
  }

  /** How many are in use. Counts them, which takes longer the more there are. */
  public static long open() {
    return system().map(UnixOperatingSystemMXBean::getOpenFileDescriptorCount).orElse(0L);
  }

  /** How many of a limit are left to files. */
  public static long reserve(long limit) {
    return Math.min(Math.max(limit / 4, FEWEST_RESERVED), MOST_RESERVED);
  }

  /**
   * Whether something failed because the process, or the machine, had no descriptor left. Such a
   * failure passes when connections are closed.
   */
  public static boolean areExhausted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof FileSystemException file
          && file.getClass() == FileSystemException.class
          // The JDK has no type of its own for it, and the text is the C library's.
          && (String.valueOf(file.getReason()).startsWith("Too many open files")
              || limit() - open() <= FEW)) {
        return true;
      }
    }
    return false;
  }
}
