package io.millrace.api.window;

import java.io.Serializable;

/** The gap that ends a session after a record, in milliseconds; 1 or more. */
@FunctionalInterface
public interface SessionWindowTimeGapExtractor<T> extends Serializable {
  long extract(T record);
}
