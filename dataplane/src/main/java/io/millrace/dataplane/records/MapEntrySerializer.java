package io.millrace.dataplane.records;

import java.util.Map;
import org.apache.fory.config.Config;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.serializer.Serializer;

/** Serialises entries of {@link Map#entry}, which are not Serializable. */
final class MapEntrySerializer extends Serializer<Map.Entry<Object, Object>> {
  private static final Map.Entry<Object, Object> ANY = Map.entry("", "");

  @SuppressWarnings("unchecked") // The class of exactly such an entry.
  MapEntrySerializer(Config config) {
    super(config, (Class<Map.Entry<Object, Object>>) ANY.getClass());
  }

  static Class<?> typeOfEntries() {
    return ANY.getClass();
  }

  @Override
  public void write(WriteContext context, Map.Entry<Object, Object> entry) {
    context.writeRef(entry.getKey());
    context.writeRef(entry.getValue());
  }

  @Override
  public Map.Entry<Object, Object> read(ReadContext context) {
    Object key = context.readRef();
    return Map.entry(key, context.readRef());
  }
}
