package io.millrace.api.function;

import java.io.Serializable;

/** Keeps the records it says yes to. */
@FunctionalInterface
public interface FilterFunction<T> extends Serializable {
  boolean keep(T record) throws Exception;
}
