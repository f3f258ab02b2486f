package io.millrace.core.codec;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps in the order in which they were written. */
final class MapTypeCodec implements TypeCodec {
  private final TypeCodec key;
  private final TypeCodec value;

  MapTypeCodec(TypeCodec key, TypeCodec value) {
    this.key = key;
    this.value = value;
  }

  @Override
  public void write(WireWriter out, Object map) {
    Map<?, ?> entries = (Map<?, ?>) map;
    out.writeVarint(entries.size());
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      key.write(out, entry.getKey());
      value.write(out, entry.getValue());
    }
  }

  @Override
  public Object read(WireReader in) {
    int count = in.readCount(2);
    Map<Object, Object> entries =
        new LinkedHashMap<>(Math.min(count, CollectionTypeCodec.INITIAL_CAPACITY));
    for (int i = 0; i < count; i++) {
      Object nextKey = key.read(in);
      if (entries.put(nextKey, value.read(in)) != null) {
        throw in.failure("a map holds a key twice");
      }
    }
    return Collections.unmodifiableMap(entries);
  }

  @Override
  public TypeCodec[] parts() {
    return new TypeCodec[] {key, value};
  }
}
