package io.millrace.dataplane.records;

import org.apache.fory.config.Config;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.serializer.Serializer;

/**
 * In the place of those that Fory brings for classes which are no records. It asks nobody about
 * classes it has numbers for, and among these are lambdas, proxies and classes themselves.
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
    return new IllegalArgumentException(type.getName() + " is no class for records");
  }
}
