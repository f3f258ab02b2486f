package io.millrace.api.sink;

import java.io.Serializable;

/** Takes records in one or more parallel instances. */
public interface Sink<T> extends Serializable {
  SinkWriter<T> open(SinkContext context) throws Exception;
}
