package io.millrace.api.function;

import java.io.Serializable;

/** Finds the key of a record; the same record must always give the same key. */
@FunctionalInterface
public interface KeySelector<T, K> extends Serializable {
  K key(T record) throws Exception;
}
