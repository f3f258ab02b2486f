package io.millrace.api.time;

import java.io.Serializable;

/** Makes a generator for each parallel instance. */
@FunctionalInterface
public interface WatermarkGeneratorSupplier<T> extends Serializable {
  WatermarkGenerator<T> generator() throws Exception;
}
