package io.millrace.connector.files;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;

/**
 * How records are written to a file. Travels with the job; each subtask has a copy of its own,
 * which one thread at a time calls.
 *
 * <pre>{@code
 * class Numbers implements FileWriteFormat<Long> {
 *   public boolean compressesItself() {
 *     return false;
 *   }
 *
 *   public FileRecordWriter<Long> start(OutputStream out) {
 *     DataOutputStream data = new DataOutputStream(out);
 *     return new FileRecordWriter<>() {
 *       public void write(Long number) throws IOException {
 *         data.writeLong(number);
 *       }
 *
 *       public void finish() throws IOException {
 *         data.flush();
 *       }
 *     };
 *   }
 * }
 *
 * orders.map(Order::cents).sinkTo(FileSink.to("/data/cents", new Numbers()));
 * }</pre>
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
