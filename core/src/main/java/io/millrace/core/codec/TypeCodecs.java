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

/** The plans of one codec: finds the one for a type, or refuses the type. */
final class TypeCodecs {
  /** A record whose argument grows with each nesting would otherwise have endlessly many plans. */
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
    return (RecordTypeCodec) remember(shape, new RecordTypeCodec(this, shape));
  }

  /**
   * @param use the component in which the type stands, for the error that refuses it
   */
  TypeCodec of(ResolvedType shape, RecordComponent use) {
    TypeCodec plan = known.get(shape);
    if (plan != null) {
      return plan;
    }
    if (shape.depth > MAX_TYPE_DEPTH) {
      throw refuse(shape, use, "nests too deep");
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
      return remember(shape, new EnumTypeCodec(type));
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
      return remember(shape, choice(shape, use));
    }
    throw refuse(shape, use, "is none of the types that messages may hold");
  }

  private TypeCodec argument(ResolvedType shape, int index, RecordComponent use) {
    if (shape.arguments.length == 0) {
      throw refuse(shape, use, "does not say what it holds");
    }
    return of(shape.arguments[index], use);
  }

  private TypeCodec choice(ResolvedType shape, RecordComponent use) {
    // A leaf that is reached on two ways keeps its first place.
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
        throw refuse(
            shape, use, "is a kind of " + parent + " but neither a record, an enum nor sealed");
      }
    }
  }

  private TypeCodec remember(ResolvedType shape, TypeCodec plan) {
    TypeCodec earlier = known.putIfAbsent(shape, plan);
    return earlier == null ? plan : earlier;
  }

  private static MillraceException refuse(ResolvedType shape, RecordComponent use, String why) {
    return new MillraceException(
        ErrorKind.BUG,
        "The codec cannot carry "
            + use.getDeclaringRecord().getSimpleName()
            + "."
            + use.getName()
            + ": "
            + shape
            + " "
            + why
            + ".");
  }
}
