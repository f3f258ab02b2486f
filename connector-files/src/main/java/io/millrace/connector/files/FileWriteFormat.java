package io.millrace.connector.files;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;

/**
 * How records are written to a file. Travels with the job; each subtask has a copy of its own,
 * which one thread at a time calls.
 *
 * @param <T> the records
 */
public interface FileWriteFormat<T> extends Serializable {
  /** Whether files of this format compress their own content, so that a sink must not do it. */
  boolean compressesItself();

  /**
   * Starts a file.
   *
   * @param out the sink closes it
   */
  FileRecordWriter<T> start(OutputStream out) throws IOException;
}
