package io.millrace.api.async;

import java.io.Serializable;

/** Decides whether an answer is worth another request. */
@FunctionalInterface
public interface AsyncRetryPredicate<V> extends Serializable {
  boolean test(V answer);
}
