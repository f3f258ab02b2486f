package io.millrace.dataplane.wire;

import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * How much memory outside of the heap a host has for records from and to others.
 *
 * @param bytes all of it
 * @param segment size of each of the buffers it is divided into
 */
public record NetworkMemory(long bytes, int segment) {
  /** Smaller ones would hold little more than the header of a frame. */
  static final int LEAST_SEGMENT = 1024;

  private static final int MOST_SEGMENT = 16 << 20;

  public NetworkMemory {
    if (segment < LEAST_SEGMENT || segment > MOST_SEGMENT) {
      throw new MillraceException(
          ErrorKind.USER,
          "A network buffer has between "
              + LEAST_SEGMENT
              + " and "
              + MOST_SEGMENT
              + " bytes, not "
              + segment
              + " ("
              + MemoryOptions.SEGMENT_SIZE.key()
              + ").");
    }
    if (bytes < 0 || bytes / segment > Integer.MAX_VALUE) {
      throw new MillraceException(
          ErrorKind.USER,
          bytes
              + " bytes cannot be divided into buffers of "
              + segment
              + " ("
              + MemoryOptions.SEGMENT_SIZE.key()
              + ").");
    }
  }

  public static NetworkMemory of(long bytes, MemorySize segment) {
    return new NetworkMemory(bytes, (int) Math.min(Integer.MAX_VALUE, segment.bytes()));
  }

  /** How many buffers that makes. */
  public int buffers() {
    return (int) (bytes / segment);
  }
}
