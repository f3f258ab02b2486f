package io.millrace.connector.files;

import io.millrace.api.source.SourceSplit;
import java.util.Optional;

/**
 * The records of a file that start in a range of bytes.
 *
 * @param to the end of the range; {@link Long#MAX_VALUE} for the end of the file, wherever that is
 * @param offset see {@link FilePosition}; -1 before the first record
 * @see FileSource
 */
public record FileSplit(String file, long from, long to, long offset, long records)
    implements SourceSplit {
  /** A split that was not read yet. */
  FileSplit(String file, long from, long to) {
    this(file, from, to, -1, 0);
  }

  FileSplit at(FilePosition position) {
    return new FileSplit(file, from, to, position.offset(), position.records());
  }

  /** Empty before the first record. */
  Optional<FilePosition> position() {
    return offset < 0 ? Optional.empty() : Optional.of(new FilePosition(offset, records));
  }

  @Override
  public String splitId() {
    return file + " from " + from;
  }
}
