package io.millrace.core.codec;

import java.util.Optional;

final class OptionalTypeCodec implements TypeCodec {
  private final TypeCodec value;

  OptionalTypeCodec(TypeCodec value) {
    this.value = value;
  }

  @Override
  public void write(WireWriter out, Object optional) {
    Optional<?> present = (Optional<?>) optional;
    out.writeByte(present.isPresent() ? 1 : 0);
    if (present.isPresent()) {
      value.write(out, present.get());
    }
  }

  @Override
  public Object read(WireReader in) {
    return in.readChoice(2, "optional") == 0 ? Optional.empty() : Optional.of(value.read(in));
  }

  @Override
  public TypeCodec[] parts() {
    return new TypeCodec[] {value};
  }
}
