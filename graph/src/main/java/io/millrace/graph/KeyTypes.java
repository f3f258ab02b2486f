package io.millrace.graph;

import io.millrace.api.function.KeySelector;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Checks whether a type can be a key type. {@link KeyEncoding} checks the values. */
final class KeyTypes {
  private static final List<Class<?>> VALUES =
      List.of(
          String.class,
          Boolean.class,
          Byte.class,
          Short.class,
          Character.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class,
          UUID.class,
          Date.class,
          Optional.class,
          Instant.class,
          Duration.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          OffsetTime.class,
          OffsetDateTime.class,
          ZonedDateTime.class,
          Year.class,
          YearMonth.class,
          MonthDay.class,
          Period.class);

  private static final String EQUAL_TO_ITSELF =
      "each instance is equal only to itself. Use a value instead.";

  private KeyTypes() {}

  /**
   * Refuses a selector whose result type cannot be a key type.
   *
   * @throws UnsupportedKeyException with the reason
   */
  static void check(KeySelector<?, ?> selector) {
    typeOf(selector).ifPresent(type -> check(type, new HashSet<>()));
  }

  /** The result type of a selector, if its class or lambda declares it. */
  static Optional<Class<?>> typeOf(KeySelector<?, ?> selector) {
    Class<?> type = selector.getClass();
    try {
      if (!type.isSynthetic() && !type.isHidden()) {
        return Optional.ofNullable(returnTypeOf(type));
      }
      Method replacement = type.getDeclaredMethod("writeReplace");
      replacement.setAccessible(true);
      if (replacement.invoke(selector) instanceof SerializedLambda lambda) {
        return Optional.of(
            MethodType.fromMethodDescriptorString(
                    lambda.getInstantiatedMethodType(), type.getClassLoader())
                .returnType());
      }
      return Optional.empty();
    } catch (ReflectiveOperationException
        | InaccessibleObjectException
        | TypeNotPresentException
        | LinkageError e) {
      // An unknown type is checked with the first key.
      return Optional.empty();
    }
  }

  private static Class<?> returnTypeOf(Class<?> selector) {
    Class<?> found = null;
    for (Method method : selector.getMethods()) {
      if (method.getName().equals("key") && method.getParameterCount() == 1 && !method.isBridge()) {
        if (found != null && found != method.getReturnType()) {
          return null;
        }
        found = method.getReturnType();
      }
    }
    return found;
  }

  private static void check(Class<?> type, Set<Class<?>> open) {
    if (type.isPrimitive() || !open.add(type)) {
      return;
    }
    refusalOf(type)
        .ifPresent(
            reason -> {
              throw new UnsupportedKeyException(type, reason);
            });
    if (type.isRecord()) {
      for (RecordComponent component : type.getRecordComponents()) {
        try {
          if (component.getType() == byte[].class) {
            throw new UnsupportedKeyException(byte[].class, arrayIn(type));
          }
          check(component.getType(), open);
        } catch (UnsupportedKeyException e) {
          throw e.in(component.getName());
        }
      }
    } else if (isTakenApart(type)) {
      for (Field field : KeyFields.fieldsOf(type)) {
        try {
          check(field.getType(), open);
        } catch (UnsupportedKeyException e) {
          throw e.in(field.getName());
        }
      }
    }
    open.remove(type);
  }

  /** Whether keys of this class or a subclass are encoded field by field. */
  private static boolean isTakenApart(Class<?> type) {
    return !isJdk(type)
        && !type.isInterface()
        && !type.isEnum()
        && !type.isArray()
        && !List.class.isAssignableFrom(type)
        && !Map.Entry.class.isAssignableFrom(type);
  }

  /** The reason why no key can have this type; empty if a key can, or if that is unknown. */
  static Optional<String> refusalOf(Class<?> type) {
    if (VALUES.contains(type)
        || ZoneId.class.isAssignableFrom(type)
        || List.class.isAssignableFrom(type)
        || Enum.class.isAssignableFrom(type)
        || Map.Entry.class.isAssignableFrom(type)
        || type.isRecord()
        || type == byte[].class) {
      return Optional.empty();
    }
    if (type.isArray()) {
      return Optional.of(
          "two arrays of the same content are not equal. Use a List or a record instead.");
    }
    if (Set.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
      return Optional.of("its elements have no fixed order. Use a sorted List instead.");
    }
    if (type.isHidden() || Proxy.isProxyClass(type)) {
      return Optional.of(EQUAL_TO_ITSELF);
    }
    if (type.isInterface() || Modifier.isAbstract(type.getModifiers()) || type == Object.class) {
      // Decided by the class of each key.
      return Optional.empty();
    }
    if (isJdk(type)) {
      return Optional.of(
          "there is no encoding of this class that is the same in every JVM. Use its toString(), or"
              + " a record of its parts.");
    }
    return refusalOfOwn(type);
  }

  /** The reason why a key of exactly this class has no canonical encoding. */
  static Optional<String> refusalOfKey(Class<?> type) {
    return type == Object.class ? Optional.of(EQUAL_TO_ITSELF) : refusalOf(type);
  }

  private static Optional<String> refusalOfOwn(Class<?> type) {
    boolean equals = overrides(type, "equals", Object.class);
    boolean hashCode = overrides(type, "hashCode");
    if (!equals || !hashCode) {
      String missing = equals ? "hashCode" : hashCode ? "equals" : "equals and hashCode";
      return Optional.of(
          "it does not override "
              + missing
              + ", so that two objects with the same content are different keys. Override both, or make it a"
              + " record.");
    }
    for (Class<?> part = type; part != null; part = part.getSuperclass()) {
      if (isJdk(part) && part != Object.class && !KeyFields.fieldsOf(part).isEmpty()) {
        return Optional.of(
            "it extends "
                + part.getName()
                + ", whose fields are not accessible. Use a record of its parts instead.");
      }
    }
    return Optional.empty();
  }

  private static boolean overrides(Class<?> type, String name, Class<?>... parameters) {
    try {
      return type.getMethod(name, parameters).getDeclaringClass() != Object.class;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("Every class has " + name, e);
    }
  }

  /** The reason why a byte array, which can be a key, cannot be part of a key. */
  static String arrayIn(Class<?> holder) {
    return (holder.isRecord() ? "records" : "lists, entries and optionals")
        + " compare arrays by reference, so that two with the same content are different keys. Use a"
        + " List, or a class with equals and hashCode of its own.";
  }

  private static boolean isJdk(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader == ClassLoader.getPlatformClassLoader();
  }
}
