package io.millrace.connector.files;

import java.io.IOException;
import java.io.Serializable;

/**
 * How records lie in a file. Travels with the job; each subtask has a copy of its own, which one
 * thread at a time calls.
 *
 * @param <T> the records
 */
public interface FileReadFormat<T> extends Serializable {
  /**
   * Whether several readers may read a file, each a range of it. A file that is compressed as a
   * whole is not divided.
   */
  boolean isDivisible();

  /**
   * Whether files of this format compress their own content. If not, the suffix of a file name says
   * how the file is compressed, and the reader gets the uncompressed content.
   */
  boolean compressesItself();

  /** Opens a range of a file at its position. */
  FileRecords<T> open(FileRange range) throws IOException;
}
