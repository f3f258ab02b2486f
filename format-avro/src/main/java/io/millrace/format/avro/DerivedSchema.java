package io.millrace.format.avro;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Derives the schema of a class. Fields that can be null in Java can be null in Avro, with null as
 * their default; elements of lists and maps cannot.
 */
final class DerivedSchema {
  private static final Map<Class<?>, Schema> SIMPLE = new HashMap<>();

  static {
    for (Class<?> each : List.of(int.class, Integer.class, short.class, Short.class)) {
      SIMPLE.put(each, Schema.create(Schema.Type.INT));
    }
    SIMPLE.put(byte.class, Schema.create(Schema.Type.INT));
    SIMPLE.put(Byte.class, Schema.create(Schema.Type.INT));
    SIMPLE.put(long.class, Schema.create(Schema.Type.LONG));
    SIMPLE.put(Long.class, Schema.create(Schema.Type.LONG));
    SIMPLE.put(float.class, Schema.create(Schema.Type.FLOAT));
    SIMPLE.put(Float.class, Schema.create(Schema.Type.FLOAT));
    SIMPLE.put(double.class, Schema.create(Schema.Type.DOUBLE));
    SIMPLE.put(Double.class, Schema.create(Schema.Type.DOUBLE));
    SIMPLE.put(boolean.class, Schema.create(Schema.Type.BOOLEAN));
    SIMPLE.put(Boolean.class, Schema.create(Schema.Type.BOOLEAN));
    for (Class<?> each : List.of(String.class, BigDecimal.class, BigInteger.class, UUID.class)) {
      SIMPLE.put(each, Schema.create(Schema.Type.STRING));
    }
    SIMPLE.put(byte[].class, Schema.create(Schema.Type.BYTES));
    SIMPLE.put(
        Instant.class, LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG)));
    SIMPLE.put(
        LocalDateTime.class,
        LogicalTypes.localTimestampMicros().addToSchema(Schema.create(Schema.Type.LONG)));
    SIMPLE.put(LocalDate.class, LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT)));
    SIMPLE.put(
        LocalTime.class, LogicalTypes.timeMicros().addToSchema(Schema.create(Schema.Type.LONG)));
  }

  /** Schemas of classes that are known or being derived, for classes that contain themselves. */
  private final Map<Class<?>, Schema> named = new HashMap<>();

  private DerivedSchema() {}

  static Schema of(Class<?> type) {
    return new DerivedSchema().record(type);
  }

  private Schema record(Class<?> type) {
    Schema known = named.get(type);
    if (known != null) {
      return known;
    }
    String namespace = type.getPackageName();
    Schema schema =
        Schema.createRecord(simpleName(type), null, namespace.isEmpty() ? null : namespace, false);
    named.put(type, schema);
    List<Schema.Field> fields = new ArrayList<>();
    for (ClassFields.Member member : ClassFields.of(type).members()) {
      Class<?> raw = rawType(member.type());
      Schema value =
          raw == Optional.class
              ? schema(argument(member.type(), 0), type, member.name())
              : schema(member.type(), type, member.name());
      fields.add(
          raw.isPrimitive()
              ? new Schema.Field(member.name(), value)
              : new Schema.Field(
                  member.name(),
                  Schema.createUnion(Schema.create(Schema.Type.NULL), value),
                  null,
                  Schema.Field.NULL_DEFAULT_VALUE));
    }
    schema.setFields(fields);
    return schema;
  }

  private Schema schema(Type type, Class<?> owner, String field) {
    Class<?> raw = rawType(type);
    Schema simple = SIMPLE.get(raw);
    if (simple != null) {
      return simple;
    }
    if (raw.isEnum()) {
      return named.computeIfAbsent(
          raw,
          each ->
              Schema.createEnum(
                  simpleName(each),
                  null,
                  each.getPackageName().isEmpty() ? null : each.getPackageName(),
                  Arrays.stream(each.getEnumConstants())
                      .map(constant -> ((Enum<?>) constant).name())
                      .toList()));
    }
    if (raw == List.class || raw == Collection.class) {
      return Schema.createArray(schema(argument(type, 0), owner, field));
    }
    if (raw == Map.class && argument(type, 0) == String.class) {
      return Schema.createMap(schema(argument(type, 1), owner, field));
    }
    if (raw.isInterface()
        || raw.isArray()
        || raw == Object.class
        || raw == Optional.class
        || raw.getPackageName().startsWith("java.")) {
      throw new MillraceException(
          ErrorKind.USER,
          "Avro has no type for "
              + type.getTypeName()
              + " in the field "
              + field
              + " of "
              + owner.getTypeName()
              + ". Use numbers, String, byte[], enums, List, Map with String keys, Optional,"
              + " java.time, records of these, or GenericRecord with a schema of your own.");
    }
    return record(raw);
  }

  /** Nested classes have no name that Avro allows. */
  private static String simpleName(Class<?> type) {
    return type.getName().substring(type.getName().lastIndexOf('.') + 1).replace('$', '_');
  }

  static Class<?> rawType(Type type) {
    if (type instanceof Class<?> raw) {
      return raw;
    }
    if (type instanceof ParameterizedType parameterized) {
      return (Class<?>) parameterized.getRawType();
    }
    throw new MillraceException(
        ErrorKind.USER, "Avro cannot map " + type.getTypeName() + ": it does not name a class.");
  }

  static Type argument(Type type, int index) {
    if (type instanceof ParameterizedType parameterized) {
      return parameterized.getActualTypeArguments()[index];
    }
    throw new MillraceException(
        ErrorKind.USER,
        "Avro cannot map " + type.getTypeName() + " without the types of its elements.");
  }
}
