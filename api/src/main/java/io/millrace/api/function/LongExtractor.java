package io.millrace.api.function;

import java.io.Serializable;

/** Extracts a number from a record. */
@FunctionalInterface
public interface LongExtractor<T> extends Serializable {
  long extract(T record) throws Exception;
}
