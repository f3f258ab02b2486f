package io.millrace.api.time;

import java.io.Serializable;

/** Creates a generator for each subtask. */
@FunctionalInterface
public interface WatermarkGeneratorSupplier<T> extends Serializable {
  WatermarkGenerator<T> generator() throws Exception;
}
