package io.millrace.graph;

import io.millrace.api.serialization.Serializer;
import io.millrace.core.Bytes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Writes records that travel inside of a job graph, in the way in which all records travel. The
 * data plane provides this through {@link ServiceLoader}.
 */
@FunctionalInterface
public interface RecordEncoder {
  /**
   * @param serializers the program's own by class
   */
  Bytes encode(List<?> records, ClassLoader program, Map<Class<?>, Serializer<?>> serializers);

  /** The one on the class path. */
  static Optional<RecordEncoder> onClassPath() {
    return ServiceLoader.load(RecordEncoder.class, RecordEncoder.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .min(Comparator.comparing(encoder -> encoder.getClass().getName()));
  }
}
