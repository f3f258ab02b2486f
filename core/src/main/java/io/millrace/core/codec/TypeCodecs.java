package io.millrace.core.codec;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Finds the codec of a type, or rejects the type. */
final class TypeCodecs {
  /**
   * Without a limit, a record whose type argument grows with each nesting would have infinitely
   * many codecs.
   */
  private static final int MAX_TYPE_DEPTH = 16;

  private final Map<ResolvedType, TypeCodec> known = new ConcurrentHashMap<>();
  private final ClassTable table;

  TypeCodecs(List<Class<? extends Record>> messages) {
    this.table = new ClassTable(this, messages);
  }

  ClassTable table() {
    return table;
  }

  RecordTypeCodec record(ResolvedType shape) {
    return (RecordTypeCodec) cache(shape, new RecordTypeCodec(this, shape));
  }

  /**
   * @param use the component that has the type, for the error message
   */
  TypeCodec of(ResolvedType shape, RecordComponent use) {
    TypeCodec plan = known.get(shape);
    if (plan != null) {
      return plan;
    }
    if (shape.depth > MAX_TYPE_DEPTH) {
      throw unsupported(shape, use, "is nested too deep");
    }
    Class<?> type = shape.raw;
    TypeCodec scalar = ScalarTypeCodec.find(type);
    if (scalar != null) {
      return scalar;
    }
    if (type == Record.class) {
      return table;
    }
    if (type.isRecord()) {
      return record(shape);
    }
    if (type.isEnum()) {
      return cache(shape, new EnumTypeCodec(type));
    }
    if (type == Optional.class) {
      return new OptionalTypeCodec(argument(shape, 0, use));
    }
    if (type == List.class || type == Set.class) {
      return new CollectionTypeCodec(argument(shape, 0, use), type == Set.class);
    }
    if (type == Map.class) {
      return new MapTypeCodec(argument(shape, 0, use), argument(shape, 1, use));
    }
    if (type.isSealed()) {
      return cache(shape, choice(shape, use));
    }
    throw unsupported(shape, use, "is not a supported type");
  }

  private TypeCodec argument(ResolvedType shape, int index, RecordComponent use) {
    if (shape.arguments.length == 0) {
      throw unsupported(shape, use, "has no type argument");
    }
    return of(shape.arguments[index], use);
  }

  private TypeCodec choice(ResolvedType shape, RecordComponent use) {
    // A leaf that is reachable on two paths keeps its first position.
    Map<Class<?>, TypeCodec> leaves = new LinkedHashMap<>();
    collectLeaves(shape, use, leaves);
    return new SealedTypeCodec(
        shape, leaves.keySet().toArray(new Class<?>[0]), leaves.values().toArray(new TypeCodec[0]));
  }

  private void collectLeaves(
      ResolvedType parent, RecordComponent use, Map<Class<?>, TypeCodec> leaves) {
    for (Class<?> type : parent.raw.getPermittedSubclasses()) {
      ResolvedType shape = parent.subtype(type);
      if (type.isRecord() || type.isEnum()) {
        leaves.putIfAbsent(type, of(shape, use));
      } else if (type.isSealed() && type.isInterface()) {
        collectLeaves(shape, use, leaves);
      } else {
        throw unsupported(
            shape, use, "is a subtype of " + parent + " but not a record, an enum or sealed");
      }
    }
  }

  private TypeCodec cache(ResolvedType shape, TypeCodec plan) {
    TypeCodec earlier = known.putIfAbsent(shape, plan);
    return earlier == null ? plan : earlier;
  }

  private static MillraceException unsupported(
      ResolvedType shape, RecordComponent use, String reason) {
    return new MillraceException(
        ErrorKind.BUG,
        "The codec does not support "
            + use.getDeclaringRecord().getSimpleName()
            + "."
            + use.getName()
            + ": "
            + shape
            + " "
            + reason
            + ".");
  }
}
