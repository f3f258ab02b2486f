package io.millrace.connector.files;

import java.io.IOException;

/**
 * Writes the records of one file.
 *
 * <pre>{@code
 * // Writes numbers in eight bytes each.
 * class NumberWriter implements FileRecordWriter<Long> {
 *   private final DataOutputStream out;
 *
 *   NumberWriter(OutputStream out) {
 *     this.out = new DataOutputStream(out);
 *   }
 *
 *   public void write(Long number) throws IOException {
 *     out.writeLong(number);
 *   }
 *
 *   public void finish() throws IOException {
 *     out.flush();
 *   }
 * }
 * }</pre>
 *
 * @param <T> the records
 */
public interface FileRecordWriter<T> extends AutoCloseable {
  void write(T record) throws Exception;

  /** About how many bytes this writer holds that are not in the file yet. */
  default long bufferedBytes() {
    return 0;
  }

  /** Writes everything that belongs into the file. The last call before {@link #close}. */
  void finish() throws IOException;

  /** Releases resources. A file that was not finished is discarded. */
  @Override
  default void close() throws IOException {}
}
