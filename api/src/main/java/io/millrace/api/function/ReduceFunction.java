package io.millrace.api.function;

import java.io.Serializable;

/** Combines two records of one key into one. */
@FunctionalInterface
public interface ReduceFunction<T> extends Serializable {
  T reduce(T left, T right) throws Exception;
}
