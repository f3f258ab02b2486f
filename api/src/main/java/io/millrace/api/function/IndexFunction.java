package io.millrace.api.function;

import java.io.Serializable;

/** Generates the record of an index; the same index must always give the same record. */
@FunctionalInterface
public interface IndexFunction<T> extends Serializable {
  T at(long index) throws Exception;
}
