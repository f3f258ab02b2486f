package io.millrace.connector.files;

/**
 * A place between two records of a file, from which a reader can go on.
 *
 * <pre>{@code
 * // A reader of a file with records of eight bytes goes on here.
 * FilePosition position = new FilePosition(1_024, 2);
 * long next = position.offset() + 8 * position.records();
 * }</pre>
 *
 * @param offset where a record or a block of records starts, in bytes of the uncompressed file
 * @param records the number of records behind the offset that were read
 */
public record FilePosition(long offset, long records) {
  public FilePosition {
    if (offset < 0 || records < 0) {
      throw new IllegalArgumentException("offset and records must be >= 0");
    }
  }
}
