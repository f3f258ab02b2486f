package io.millrace.api.sink;

import java.io.Serializable;

/**
 * Takes records in one or more parallel instances. A sink whose writers have state is a {@link
 * StatefulSink}; one that makes its output visible exactly once is a {@link CommittingSink}. A sink
 * may be both.
 */
public interface Sink<T> extends Serializable {
  /** Creates the writer of one instance. */
  SinkWriter<T> createWriter(SinkContext context) throws Exception;
}
