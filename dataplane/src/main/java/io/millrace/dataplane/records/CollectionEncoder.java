package io.millrace.dataplane.records;

import io.millrace.api.serialization.Serializer;
import io.millrace.core.Bytes;
import io.millrace.graph.RecordEncoder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Writes the elements of collections that a program has as a source. */
public final class CollectionEncoder implements RecordEncoder {
  @Override
  public Bytes encode(
      List<?> records, ClassLoader program, Map<Class<?>, Serializer<?>> serializers) {
    ByteArrayOutput out = new ByteArrayOutput();
    new RecordBatchCodec(program, Runnable::run, serializers)
        .encode(records.toArray(), 0, records.size(), out);
    return Bytes.wrap(Arrays.copyOf(out.array(), out.size()));
  }
}
