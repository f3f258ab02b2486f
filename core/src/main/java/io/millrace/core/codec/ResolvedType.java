package io.millrace.core.codec;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A Java type without type variables: a class and its type arguments.
 *
 * <p>Not a record: the {@code equals} method of a record is linked at run time, which would delay
 * the first message.
 */
final class ResolvedType {
  private static final ResolvedType[] NONE = {};

  final Class<?> raw;
  final ResolvedType[] arguments;
  final int depth;

  private ResolvedType(Class<?> raw, ResolvedType[] arguments) {
    this.raw = raw;
    this.arguments = arguments;
    int deepest = 0;
    for (ResolvedType argument : arguments) {
      deepest = Math.max(deepest, argument.depth);
    }
    this.depth = deepest + 1;
  }

  static ResolvedType of(Class<?> raw) {
    return new ResolvedType(raw, NONE);
  }

  /** Resolves a type with the bindings of the type variables of its declaring class. */
  static ResolvedType of(Type type, Map<TypeVariable<?>, ResolvedType> bindings) {
    if (type instanceof ParameterizedType generic) {
      Type[] types = generic.getActualTypeArguments();
      ResolvedType[] arguments = new ResolvedType[types.length];
      for (int i = 0; i < types.length; i++) {
        arguments[i] = of(types[i], bindings);
      }
      return new ResolvedType((Class<?>) generic.getRawType(), arguments);
    }
    if (type instanceof WildcardType wildcard) {
      return of(wildcard.getUpperBounds()[0], bindings);
    }
    if (type instanceof TypeVariable<?> variable && bindings.containsKey(variable)) {
      return bindings.get(variable);
    }
    return of(erasure(type));
  }

  /** The bindings of the type variables of this type's class. */
  Map<TypeVariable<?>, ResolvedType> bindings() {
    Map<TypeVariable<?>, ResolvedType> bindings = new HashMap<>();
    if (arguments.length > 0) {
      TypeVariable<?>[] variables = raw.getTypeParameters();
      for (int i = 0; i < variables.length; i++) {
        bindings.put(variables[i], arguments[i]);
      }
    }
    return bindings;
  }

  /**
   * A direct subtype with resolved type arguments: for {@code Ok<V> implements Result<List<V>>},
   * the {@code Ok} of {@code Result<List<String>>} is {@code Ok<String>}.
   */
  ResolvedType subtype(Class<?> type) {
    TypeVariable<?>[] variables = type.getTypeParameters();
    if (variables.length == 0) {
      return of(type);
    }
    Map<TypeVariable<?>, ResolvedType> bindings = new HashMap<>();
    for (Type parent : type.getGenericInterfaces()) {
      infer(parent, this, bindings);
    }
    ResolvedType[] arguments = new ResolvedType[variables.length];
    for (int i = 0; i < variables.length; i++) {
      arguments[i] = of(variables[i], bindings);
    }
    return new ResolvedType(type, arguments);
  }

  private static void infer(
      Type pattern, ResolvedType actual, Map<TypeVariable<?>, ResolvedType> bindings) {
    if (pattern instanceof TypeVariable<?> variable) {
      bindings.putIfAbsent(variable, actual);
    } else if (pattern instanceof ParameterizedType generic && generic.getRawType() == actual.raw) {
      Type[] patterns = generic.getActualTypeArguments();
      for (int i = 0; i < actual.arguments.length; i++) {
        infer(patterns[i], actual.arguments[i], bindings);
      }
    }
  }

  private static Class<?> erasure(Type type) {
    if (type instanceof Class<?> raw) {
      return raw;
    }
    if (type instanceof ParameterizedType generic) {
      return (Class<?>) generic.getRawType();
    }
    if (type instanceof TypeVariable<?> variable) {
      return erasure(variable.getBounds()[0]);
    }
    if (type instanceof GenericArrayType array) {
      return Array.newInstance(erasure(array.getGenericComponentType()), 0).getClass();
    }
    throw new IllegalArgumentException("A wildcard has no erasure: " + type);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResolvedType that
        && raw == that.raw
        && Arrays.equals(arguments, that.arguments);
  }

  @Override
  public int hashCode() {
    return 31 * raw.hashCode() + Arrays.hashCode(arguments);
  }

  @Override
  public String toString() {
    if (arguments.length == 0) {
      return raw.getTypeName();
    }
    StringBuilder text = new StringBuilder(raw.getTypeName()).append('<');
    for (int i = 0; i < arguments.length; i++) {
      text.append(i == 0 ? "" : ", ").append(arguments[i]);
    }
    return text.append('>').toString();
  }
}
