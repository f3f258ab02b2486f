package io.millrace.core.fs;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.FileSystemException;
import java.util.Optional;

/**
 * The file descriptors of this process, which files and connections share. Servers leave {@link
 * #reserve} of them to files, so that clients cannot keep the process from writing files.
 */
public final class FileDescriptors {
  private static final long MIN_RESERVED = 64;
  private static final long MAX_RESERVED = 1024;

  /**
   * So few descriptors are free when a file cannot be opened for lack of them. Not 0, because other
   * threads may have closed some since.
   */
  private static final long FEW = 4;

  private FileDescriptors() {}

  private static Optional<UnixOperatingSystemMXBean> system() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? Optional.of(unix)
        : Optional.empty();
  }

  /** The maximum number of the process; Long.MAX_VALUE if the system does not report it. */
  public static long limit() {
    return system()
        .map(UnixOperatingSystemMXBean::getMaxFileDescriptorCount)
        .orElse(Long.MAX_VALUE);
  }

  /** The number in use. Takes time in proportion to it. */
  public static long open() {
    return system().map(UnixOperatingSystemMXBean::getOpenFileDescriptorCount).orElse(0L);
  }

  /** The number that is reserved for files. */
  public static long reserve(long limit) {
    return Math.min(Math.max(limit / 4, MIN_RESERVED), MAX_RESERVED);
  }

  /**
   * Whether a failure is due to missing file descriptors of the process or the machine. Such a
   * failure is temporary.
   */
  public static boolean areExhausted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof FileSystemException file
          && file.getClass() == FileSystemException.class
          // The JDK has no exception type for it; the text is the C library's.
          && (String.valueOf(file.getReason()).startsWith("Too many open files")
              || limit() - open() <= FEW)) {
        return true;
      }
    }
    return false;
  }
}
