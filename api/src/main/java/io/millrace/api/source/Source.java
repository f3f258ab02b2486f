package io.millrace.api.source;

import java.io.Serializable;

/** Produces records in one or more parallel instances. */
public interface Source<T> extends Serializable {
  /** Whether the source ends by itself. */
  boolean isBounded();

  /** How many parallel instances can share the work; 1 for a source that cannot be divided. */
  default int maxParallelism() {
    return Integer.MAX_VALUE;
  }

  SourceReader<T> open(SourceContext context) throws Exception;
}
