package io.millrace.connector.jdbc;

import java.io.Serializable;

/**
 * The value that a record has in a column.
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface ColumnValue<T> extends Serializable {
  /**
   * A value that the driver takes, or null. An {@link java.time.Instant} becomes a timestamp with
   * time zone, an enum its name.
   */
  Object of(T record) throws Exception;
}
