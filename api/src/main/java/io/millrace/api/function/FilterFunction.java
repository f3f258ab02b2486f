package io.millrace.api.function;

import java.io.Serializable;

/** Decides which records are kept. */
@FunctionalInterface
public interface FilterFunction<T> extends Serializable {
  boolean keep(T record) throws Exception;
}
