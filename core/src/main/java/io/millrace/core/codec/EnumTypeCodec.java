package io.millrace.core.codec;

import java.util.HashMap;
import java.util.Map;

/** Enum constants, encoded by name, so that constants can be inserted. */
final class EnumTypeCodec implements TypeCodec {
  private static final TypeCodec[] NONE = {};

  private final Class<?> type;
  private final Map<String, Object> constants = new HashMap<>();

  EnumTypeCodec(Class<?> type) {
    this.type = type;
    for (Object constant : type.getEnumConstants()) {
      constants.put(((Enum<?>) constant).name(), constant);
    }
  }

  @Override
  public void write(WireWriter out, Object value) {
    out.writeString(((Enum<?>) value).name());
  }

  @Override
  public Object read(WireReader in) {
    String name = in.readString();
    Object constant = constants.get(name);
    if (constant == null) {
      throw in.failure(type.getName() + " has no constant '" + name + "'");
    }
    return constant;
  }

  @Override
  public TypeCodec[] parts() {
    return NONE;
  }
}
