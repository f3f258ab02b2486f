package io.millrace.connector.files;

import java.io.Closeable;
import java.io.IOException;

/**
 * The records of a range of a file, one after the other. An {@link IOException} says that the file
 * cannot be read: it fails the task.
 *
 * <pre>{@code
 * // A file with one record, which was read if the position is behind it.
 * class SingleRecord implements FileRecords<String> {
 *   private final String content;
 *   private boolean isRead;
 *
 *   SingleRecord(String content, boolean isRead) {
 *     this.content = content;
 *     this.isRead = isRead;
 *   }
 *
 *   public boolean advance() {
 *     boolean isNew = !isRead;
 *     isRead = true;
 *     return isNew;
 *   }
 *
 *   public String record() {
 *     return content;
 *   }
 *
 *   public FilePosition position() {
 *     return new FilePosition(0, isRead ? 1 : 0);
 *   }
 *
 *   public String place() {
 *     return "byte 0";
 *   }
 *
 *   public void close() {}
 * }
 * }</pre>
 *
 * @param <T> the records
 */
public interface FileRecords<T> extends Closeable {
  /** Moves to the next record; false behind the last one of the range. */
  boolean advance() throws IOException;

  /**
   * The current record, parsed. An exception says that this record is not in the format; the source
   * decides what happens with it.
   *
   * @return never null
   */
  T record() throws Exception;

  /** The place behind the current record, or that of the first one. */
  FilePosition position();

  /** Where the current record is, for people: {@code byte 1234}. */
  String place();

  /** The bytes of the current record; empty if the format does not have them one by one. */
  default byte[] bytes() {
    return new byte[0];
  }
}
