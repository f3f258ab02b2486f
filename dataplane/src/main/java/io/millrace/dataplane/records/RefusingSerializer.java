package io.millrace.dataplane.records;

import org.apache.fory.config.Config;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.serializer.Serializer;

/**
 * Replaces Fory's own serializers of classes that records must not contain. Fory does not call the
 * type checker for classes that it has ids for, among them lambdas, proxies and Class.
 */
final class RefusingSerializer<T> extends Serializer<T> {
  RefusingSerializer(Config config, Class<T> type) {
    super(config, type);
  }

  @Override
  public void write(WriteContext context, T value) {
    throw refused();
  }

  @Override
  public T read(ReadContext context) {
    throw refused();
  }

  private IllegalArgumentException refused() {
    return new IllegalArgumentException(type.getName() + " is not allowed in records");
  }
}
