package io.millrace.core.codec;

import java.util.HashMap;
import java.util.Map;

/** A sealed type: the tag of the leaf, then the leaf. */
final class SealedTypeCodec implements TypeCodec {
  private final ResolvedType shape;
  private final TypeCodec[] leaves;
  private final Map<Class<?>, Integer> tags = new HashMap<>();

  /**
   * @param types the classes of the leaves, in the order of their tags
   */
  SealedTypeCodec(ResolvedType shape, Class<?>[] types, TypeCodec[] leaves) {
    this.shape = shape;
    this.leaves = leaves;
    for (int i = 0; i < types.length; i++) {
      tags.put(types[i], i);
    }
  }

  @Override
  public void write(WireWriter out, Object value) {
    // An enum constant with a body has its own class.
    Class<?> type =
        value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
    int tag = tags.get(type);
    out.writeVarint(tag);
    leaves[tag].write(out, value);
  }

  @Override
  public Object read(WireReader in) {
    long tag = in.readVarint();
    if (tag < 0 || tag >= leaves.length) {
      throw in.failure(shape + " has no tag " + Long.toUnsignedString(tag));
    }
    return leaves[(int) tag].read(in);
  }

  @Override
  public TypeCodec[] parts() {
    return leaves;
  }
}
