package io.millrace.connector.jdbc;

import java.io.Serializable;

/**
 * Whether something holds for a record.
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface RecordCondition<T> extends Serializable {
  boolean test(T record) throws Exception;
}
