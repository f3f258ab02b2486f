package io.millrace.api.function;

import java.io.Serializable;

/** Takes a number out of a record. */
@FunctionalInterface
public interface LongExtractor<T> extends Serializable {
  long extract(T record) throws Exception;
}
