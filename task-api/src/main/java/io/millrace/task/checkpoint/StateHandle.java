package io.millrace.task.checkpoint;

import io.millrace.core.Bytes;
import java.util.Objects;

/** A piece of stored state. */
public sealed interface StateHandle {
  /** The number of bytes of the piece. */
  long size();

  /** A small piece that is part of the metadata. */
  record Inline(Bytes bytes) implements StateHandle {
    public Inline {
      Objects.requireNonNull(bytes);
    }

    @Override
    public long size() {
      return bytes.length();
    }
  }

  /**
   * A part of a file.
   *
   * @param directory what the file name is relative to, so that a savepoint can be moved
   * @param checksum CRC-32C of the bytes from {@code offset} on
   */
  record FileSegment(Directory directory, String file, long offset, long size, int checksum)
      implements StateHandle {
    public FileSegment {
      Objects.requireNonNull(directory);
      if (file.isBlank() || file.contains("/") || file.contains("\\") || file.startsWith(".")) {
        throw new IllegalArgumentException("file must be a plain file name, not '" + file + "'");
      }
      if (offset < 0 || size < 0) {
        throw new IllegalArgumentException(
            "offset and size must be >= 0, not " + offset + " and " + size);
      }
    }
  }

  /** A directory with files of checkpoints. */
  enum Directory {
    /** The directory of the checkpoint itself, which has its metadata, too. */
    EXCLUSIVE,
    /** The directory of files that several checkpoints of a job refer to. */
    SHARED
  }
}
