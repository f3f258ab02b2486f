package io.millrace.graph;

import java.io.Serializable;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the path of fields to an object that is not serialisable. The exception of the JDK names
 * only the class, unless a system property is set. Fields that cannot be read are skipped.
 */
final class NotSerializablePathFinder {
  private static final int DEEPEST = 64;

  private final String culprit;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private NotSerializablePathFinder(String culprit) {
    this.culprit = culprit;
  }

  /** A phrase like {@code function.client is a java.net.Socket}. */
  static Optional<String> to(String culprit, Object root) {
    return new NotSerializablePathFinder(culprit).walk(root, "", 0);
  }

  private Optional<String> walk(Object value, String path, int depth) {
    if (value == null || depth > DEEPEST || !seen.add(value)) {
      return Optional.empty();
    }
    Class<?> type = value.getClass();
    if (!(value instanceof Serializable)) {
      return type.getName().equals(culprit)
          ? Optional.of((path.isEmpty() ? "it" : path) + " is a " + culprit)
          : Optional.empty();
    }
    if (type.isArray()) {
      return type.getComponentType().isPrimitive()
          ? Optional.empty()
          : walkArray(value, path, depth);
    }
    if (value instanceof Collection<?> elements) {
      return walkAll(elements, path + "[…]", depth);
    }
    if (value instanceof Map<?, ?> entries) {
      return walkAll(entries.keySet(), path + " key", depth)
          .or(() -> walkAll(entries.values(), path + " value", depth));
    }
    if (type.isHidden() || type.isSynthetic()) {
      Optional<SerializedLambda> lambda = lambda(value);
      if (lambda.isPresent()) {
        return walkCaptured(lambda.get(), path, depth);
      }
    }
    return walkFields(value, path, depth);
  }

  private Optional<String> walkArray(Object array, String path, int depth) {
    Optional<String> found = Optional.empty();
    for (int i = 0; i < Array.getLength(array) && found.isEmpty(); i++) {
      found = walk(Array.get(array, i), path + "[" + i + "]", depth + 1);
    }
    return found;
  }

  private Optional<String> walkAll(Iterable<?> elements, String path, int depth) {
    for (Object element : elements) {
      Optional<String> found = walk(element, path, depth + 1);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<String> walkCaptured(SerializedLambda lambda, String path, int depth) {
    String place = lambda.getCapturingClass().replace('/', '.');
    boolean hasInstance = lambda.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic;
    Optional<String> found = Optional.empty();
    for (int i = 0; i < lambda.getCapturedArgCount() && found.isEmpty(); i++) {
      boolean isInstance =
          i == 0
              && hasInstance
              && lambda.getCapturedArg(0) != null
              && lambda.getCapturedArg(0).getClass().getName().equals(place);
      String what = isInstance ? "the enclosing instance" : "variable " + (i + 1);
      found =
          walk(
              lambda.getCapturedArg(i),
              dotted(path, "(" + what + " captured by the lambda in " + place + ")"),
              depth + 1);
    }
    return found;
  }

  private Optional<String> walkFields(Object value, String path, int depth) {
    for (Class<?> type = value.getClass();
        type != null && Serializable.class.isAssignableFrom(type);
        type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (Modifier.isStatic(modifiers)
            || Modifier.isTransient(modifiers)
            || field.getType().isPrimitive()) {
          continue;
        }
        Optional<String> found = walk(read(field, value), dotted(path, name(field)), depth + 1);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static String name(Field field) {
    return field.isSynthetic() && field.getName().startsWith("this$")
        ? "(the enclosing instance of " + field.getDeclaringClass().getName() + ")"
        : field.getName();
  }

  private static String dotted(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** The value of a field, null if it cannot be read. */
  private static Object read(Field field, Object value) {
    try {
      field.setAccessible(true);
      return field.get(value);
    } catch (InaccessibleObjectException | IllegalAccessException e) {
      return null;
    }
  }

  private static Optional<SerializedLambda> lambda(Object value) {
    try {
      Method replace = value.getClass().getDeclaredMethod("writeReplace");
      replace.setAccessible(true);
      return replace.invoke(value) instanceof SerializedLambda lambda
          ? Optional.of(lambda)
          : Optional.empty();
    } catch (NoSuchMethodException
        | IllegalAccessException
        | InvocationTargetException
        | InaccessibleObjectException e) {
      return Optional.empty();
    }
  }
}
