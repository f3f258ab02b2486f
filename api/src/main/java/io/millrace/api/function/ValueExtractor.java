package io.millrace.api.function;

import java.io.Serializable;

/** Extracts a value from a record, by which records are compared. */
@FunctionalInterface
public interface ValueExtractor<T, V> extends Serializable {
  V extract(T record) throws Exception;
}
