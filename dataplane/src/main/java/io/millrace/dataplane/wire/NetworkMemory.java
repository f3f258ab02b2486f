package io.millrace.dataplane.wire;

import io.millrace.core.MemorySize;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * The off-heap memory of a process for records from and to other processes.
 *
 * @param bytes the total size
 * @param segment the size of a buffer
 */
public record NetworkMemory(long bytes, int segment) {
  /** A smaller buffer would hold little more than the header of a frame. */
  static final int LEAST_SEGMENT = 1024;

  private static final int MOST_SEGMENT = 16 << 20;

  public NetworkMemory {
    if (segment < LEAST_SEGMENT || segment > MOST_SEGMENT) {
      throw new MillraceException(
          ErrorKind.USER,
          "The size of a network buffer must be between "
              + LEAST_SEGMENT
              + " and "
              + MOST_SEGMENT
              + " bytes; it is "
              + segment
              + " ("
              + MemoryOptions.SEGMENT_SIZE.key()
              + ").");
    }
    if (bytes < 0 || bytes / segment > Integer.MAX_VALUE) {
      throw new MillraceException(
          ErrorKind.USER,
          bytes
              + " bytes of network memory cannot be divided into buffers of "
              + segment
              + " ("
              + MemoryOptions.SEGMENT_SIZE.key()
              + ").");
    }
  }

  public static NetworkMemory of(long bytes, MemorySize segment) {
    return new NetworkMemory(bytes, (int) Math.min(Integer.MAX_VALUE, segment.bytes()));
  }

  /** The number of buffers. */
  public int buffers() {
    return (int) (bytes / segment);
  }
}
