package io.millrace.connector.files;

import java.io.IOException;
import java.io.Serializable;

/**
 * How records lie in a file. Travels with the job; each subtask has a copy of its own, which one
 * thread at a time calls.
 *
 * <pre>{@code
 * // Each file is one record, which the example of FileRecords returns.
 * abstract class WholeFile implements FileReadFormat<String> {
 *   abstract FileRecords<String> single(String content, long length);
 *
 *   public boolean isDivisible() {
 *     return false;
 *   }
 *
 *   public boolean compressesItself() {
 *     return false;
 *   }
 *
 *   public FileRecords<String> open(FileRange range) throws IOException {
 *     try (InputStream in = range.open(0)) {
 *       String content = new String(in.readAllBytes(), StandardCharsets.UTF_8);
 *       return single(content, range.length());
 *     }
 *   }
 * }
 * }</pre>
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
