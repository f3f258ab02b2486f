package io.millrace.api.window;

import java.io.Serializable;

/** The distance between two records. */
@FunctionalInterface
public interface DeltaFunction<T> extends Serializable {
  double delta(T older, T newer);
}
