package io.millrace.api.function;

import java.io.Serializable;

/** Turns each record into another one. */
@FunctionalInterface
public interface MapFunction<T, R> extends Serializable {
  R map(T record) throws Exception;
}
