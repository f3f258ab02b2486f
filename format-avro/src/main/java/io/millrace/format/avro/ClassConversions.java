package io.millrace.format.avro;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.avro.Conversions;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;

/** Builds the conversions between a class and a schema, field by field. */
final class ClassConversions {
  private static final long MICROS = 1_000_000;

  /** Of records that are known or being built, for classes that contain themselves. */
  private final Map<Schema, RecordConversion> records = new HashMap<>();

  private ClassConversions() {}

  static AvroConversion of(Class<?> type, Schema schema) {
    return new ClassConversions().record(type, schema);
  }

  /** Between objects of a class and generic records. */
  private static final class RecordConversion implements AvroConversion {
    private final Schema schema;
    private final ClassFields fields;

    /** By field of the schema: the field of the class, or -1 if the class does not have it. */
    private final int[] members;

    private final AvroConversion[] conversions;

    RecordConversion(Schema schema, ClassFields fields) {
      this.schema = schema;
      this.fields = fields;
      this.members = new int[schema.getFields().size()];
      this.conversions = new AvroConversion[members.length];
    }

    @Override
    public Object toAvro(Object value) {
      GenericData.Record record = new GenericData.Record(schema);
      for (int i = 0; i < members.length; i++) {
        try {
          record.put(i, conversions[i].toAvro(fields.value(members[i], value)));
        } catch (RuntimeException e) {
          throw inField(schema, i, e);
        }
      }
      return record;
    }

    @Override
    public Object fromAvro(Object value) {
      IndexedRecord record = (IndexedRecord) value;
      Object[] values = new Object[fields.members().size()];
      for (int i = 0; i < members.length; i++) {
        try {
          values[members[i]] = conversions[i].fromAvro(record.get(i));
        } catch (RuntimeException e) {
          throw inField(schema, i, e);
        }
      }
      return fields.create(values);
    }

    private static MillraceException inField(Schema schema, int field, RuntimeException e) {
      return new MillraceException(
          ErrorKind.USER,
          "Field "
              + schema.getFields().get(field).name()
              + " of "
              + schema.getFullName()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private RecordConversion record(Class<?> type, Schema schema) {
    RecordConversion known = records.get(schema);
    if (known != null) {
      return known;
    }
    ClassFields fields = ClassFields.of(type);
    RecordConversion conversion = new RecordConversion(schema, fields);
    records.put(schema, conversion);
    List<String> names = fields.members().stream().map(ClassFields.Member::name).toList();
    for (Schema.Field field : schema.getFields()) {
      int member = names.indexOf(field.name());
      if (member < 0) {
        throw new MillraceException(
            ErrorKind.USER,
            "The schema "
                + schema.getFullName()
                + " has a field "
                + field.name()
                + ", but "
                + type.getTypeName()
                + " does not. Add it, or use a schema without it: Avro leaves out what the"
                + " writer has and the reader does not.");
      }
      conversion.members[field.pos()] = member;
      conversion.conversions[field.pos()] =
          conversion(fields.members().get(member).type(), field.schema());
    }
    if (type.isRecord() && schema.getFields().size() < names.size()) {
      List<String> missing = new ArrayList<>(names);
      schema.getFields().forEach(field -> missing.remove(field.name()));
      throw new MillraceException(
          ErrorKind.USER,
          "The schema "
              + schema.getFullName()
              + " has no field for "
              + missing
              + " of the record "
              + type.getTypeName()
              + ". Add them to the schema or use a class without them.");
    }
    return conversion;
  }

  private AvroConversion conversion(Type type, Schema schema) {
    Class<?> raw = DerivedSchema.rawType(type);
    if (schema.getType() == Schema.Type.UNION) {
      return nullable(type, raw, schema);
    }
    if (raw == Optional.class) {
      throw mismatch(type, schema);
    }
    AvroConversion found =
        switch (schema.getType()) {
          case BOOLEAN -> raw == boolean.class || raw == Boolean.class ? AvroConversion.SAME : null;
          case INT, LONG -> integers(raw, schema);
          case FLOAT, DOUBLE -> floats(raw, schema);
          case STRING -> text(raw);
          case BYTES, FIXED -> bytes(raw, schema);
          case ENUM -> raw.isEnum() ? enums(raw, schema) : null;
          case ARRAY ->
              raw == List.class || raw == Collection.class
                  ? list(conversion(DerivedSchema.argument(type, 0), schema.getElementType()))
                  : null;
          case MAP ->
              raw == Map.class
                  ? map(conversion(DerivedSchema.argument(type, 1), schema.getValueType()))
                  : null;
          case RECORD -> record(raw, schema);
          default -> null;
        };
    if (found == null) {
      throw mismatch(type, schema);
    }
    return found;
  }

  private AvroConversion nullable(Type type, Class<?> raw, Schema union) {
    List<Schema> others =
        union.getTypes().stream().filter(each -> each.getType() != Schema.Type.NULL).toList();
    if (others.size() != 1 || raw.isPrimitive()) {
      throw mismatch(type, union);
    }
    boolean optional = raw == Optional.class;
    AvroConversion inner =
        conversion(optional ? DerivedSchema.argument(type, 0) : type, others.get(0));
    return optional
        ? AvroConversion.of(
            value -> {
              Object content = value == null ? null : ((Optional<?>) value).orElse(null);
              return content == null ? null : inner.toAvro(content);
            },
            value -> value == null ? Optional.empty() : Optional.of(inner.fromAvro(value)))
        : AvroConversion.of(
            value -> value == null ? null : inner.toAvro(value),
            value -> value == null ? null : inner.fromAvro(value));
  }

  private static AvroConversion integers(Class<?> raw, Schema schema) {
    LogicalType logical = schema.getLogicalType();
    boolean isLong = schema.getType() == Schema.Type.LONG;
    if (raw == Instant.class && isLong) {
      if (logical instanceof LogicalTypes.TimestampMicros) {
        return AvroConversion.of(value -> micros((Instant) value), value -> instant((Long) value));
      }
      if (logical instanceof LogicalTypes.TimestampMillis) {
        return AvroConversion.of(
            value -> {
              Instant instant = (Instant) value;
              requireWhole(instant, instant.truncatedTo(ChronoUnit.MILLIS), ChronoUnit.MILLIS);
              return instant.toEpochMilli();
            },
            value -> Instant.ofEpochMilli((Long) value));
      }
      return null;
    }
    if (raw == LocalDateTime.class) {
      return logical instanceof LogicalTypes.LocalTimestampMicros
          ? AvroConversion.of(
              value -> micros(((LocalDateTime) value).toInstant(ZoneOffset.UTC)),
              value -> LocalDateTime.ofInstant(instant((Long) value), ZoneOffset.UTC))
          : null;
    }
    if (raw == LocalDate.class) {
      return logical instanceof LogicalTypes.Date
          ? AvroConversion.of(
              value -> Math.toIntExact(((LocalDate) value).toEpochDay()),
              value -> LocalDate.ofEpochDay((Integer) value))
          : null;
    }
    if (raw == LocalTime.class) {
      return logical instanceof LogicalTypes.TimeMicros
          ? AvroConversion.of(
              value -> {
                LocalTime time = (LocalTime) value;
                requireWhole(time, time.truncatedTo(ChronoUnit.MICROS), ChronoUnit.MICROS);
                return time.toNanoOfDay() / 1000;
              },
              value -> LocalTime.ofNanoOfDay(Math.multiplyExact((Long) value, 1000L)))
          : null;
    }
    AvroConversion.Step narrow =
        isLong
            ? value -> ((Number) value).longValue()
            : value -> narrowed(value, Integer.MAX_VALUE);
    if (raw == long.class || raw == Long.class) {
      return AvroConversion.of(narrow, value -> ((Number) value).longValue());
    }
    if (raw == int.class || raw == Integer.class) {
      return AvroConversion.of(narrow, value -> narrowed(value, Integer.MAX_VALUE));
    }
    if (raw == short.class || raw == Short.class) {
      return AvroConversion.of(narrow, value -> (short) narrowed(value, Short.MAX_VALUE));
    }
    if (raw == byte.class || raw == Byte.class) {
      return AvroConversion.of(narrow, value -> (byte) narrowed(value, Byte.MAX_VALUE));
    }
    return null;
  }

  private static int narrowed(Object value, int most) {
    long number = ((Number) value).longValue();
    if (number > most || number < -most - 1L) {
      throw new IllegalArgumentException("The number " + number + " does not fit");
    }
    return (int) number;
  }

  private static long micros(Instant time) {
    requireWhole(time, time.truncatedTo(ChronoUnit.MICROS), ChronoUnit.MICROS);
    return Math.addExact(
        Math.multiplyExact(time.getEpochSecond(), MICROS), time.get(ChronoField.MICRO_OF_SECOND));
  }

  private static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1000);
  }

  /** A time that would lose digits is refused instead of cut. */
  private static void requireWhole(Object time, Object cut, ChronoUnit unit) {
    if (!time.equals(cut)) {
      throw new IllegalArgumentException(
          "The schema keeps times in "
              + unit.toString().toLowerCase(Locale.ROOT)
              + ", but the time is finer. Use truncatedTo(ChronoUnit."
              + unit.name()
              + ")");
    }
  }

  private static AvroConversion floats(Class<?> raw, Schema schema) {
    boolean isFloat = schema.getType() == Schema.Type.FLOAT;
    if (raw == float.class || raw == Float.class) {
      return isFloat ? AvroConversion.SAME : null;
    }
    if (raw == double.class || raw == Double.class) {
      return isFloat ? null : AvroConversion.SAME;
    }
    return null;
  }

  private static AvroConversion text(Class<?> raw) {
    if (raw == String.class) {
      return AvroConversion.of(value -> value, Object::toString);
    }
    if (raw == UUID.class) {
      return AvroConversion.of(Object::toString, value -> UUID.fromString(value.toString()));
    }
    if (raw == BigDecimal.class) {
      return AvroConversion.of(Object::toString, value -> new BigDecimal(value.toString()));
    }
    if (raw == BigInteger.class) {
      return AvroConversion.of(Object::toString, value -> new BigInteger(value.toString()));
    }
    return null;
  }

  private static AvroConversion bytes(Class<?> raw, Schema schema) {
    boolean fixed = schema.getType() == Schema.Type.FIXED;
    if (raw == byte[].class) {
      return fixed
          ? AvroConversion.of(
              value -> {
                if (((byte[]) value).length != schema.getFixedSize()) {
                  throw new IllegalArgumentException(
                      "The schema wants " + schema.getFixedSize() + " bytes");
                }
                return new GenericData.Fixed(schema, (byte[]) value);
              },
              value -> ((GenericFixed) value).bytes().clone())
          : AvroConversion.of(
              value -> ByteBuffer.wrap((byte[]) value),
              value -> {
                ByteBuffer buffer = ((ByteBuffer) value).duplicate();
                byte[] content = new byte[buffer.remaining()];
                buffer.get(content);
                return content;
              });
    }
    if (raw == BigDecimal.class && schema.getLogicalType() instanceof LogicalTypes.Decimal type) {
      Conversions.DecimalConversion decimals = new Conversions.DecimalConversion();
      return fixed
          ? AvroConversion.of(
              value -> decimals.toFixed(scaled(value, type), schema, type),
              value -> decimals.fromFixed((GenericFixed) value, schema, type))
          : AvroConversion.of(
              value -> decimals.toBytes(scaled(value, type), schema, type),
              value -> decimals.fromBytes((ByteBuffer) value, schema, type));
    }
    return null;
  }

  /** Throws if digits would be lost. */
  private static BigDecimal scaled(Object value, LogicalTypes.Decimal type) {
    return ((BigDecimal) value).setScale(type.getScale());
  }

  private static AvroConversion enums(Class<?> raw, Schema schema) {
    Map<String, Object> constants = new HashMap<>();
    for (Object constant : raw.getEnumConstants()) {
      constants.put(((Enum<?>) constant).name(), constant);
    }
    return AvroConversion.of(
        value -> {
          String name = ((Enum<?>) value).name();
          if (!schema.hasEnumSymbol(name)) {
            throw new IllegalArgumentException("The schema has no symbol " + name);
          }
          return new GenericData.EnumSymbol(schema, name);
        },
        value -> {
          Object constant = constants.get(value.toString());
          if (constant == null) {
            throw new IllegalArgumentException(raw.getTypeName() + " has no constant " + value);
          }
          return constant;
        });
  }

  private static AvroConversion list(AvroConversion element) {
    return AvroConversion.of(
        value -> each((Collection<?>) value, element::toAvro),
        value -> each((Collection<?>) value, element::fromAvro));
  }

  private static List<Object> each(Collection<?> values, AvroConversion.Step step) {
    List<Object> converted = new ArrayList<>(values.size());
    values.forEach(value -> converted.add(step.apply(value)));
    return converted;
  }

  private static AvroConversion map(AvroConversion element) {
    return AvroConversion.of(
        value -> each((Map<?, ?>) value, element::toAvro),
        value -> each((Map<?, ?>) value, element::fromAvro));
  }

  private static Map<String, Object> each(Map<?, ?> values, AvroConversion.Step step) {
    Map<String, Object> converted = new LinkedHashMap<>();
    values.forEach((key, value) -> converted.put(key.toString(), step.apply(value)));
    return converted;
  }

  private static MillraceException mismatch(Type type, Schema schema) {
    return new MillraceException(
        ErrorKind.USER, type.getTypeName() + " of Java does not fit to " + schema + " of Avro.");
  }
}
