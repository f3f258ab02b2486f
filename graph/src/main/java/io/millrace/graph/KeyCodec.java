package io.millrace.graph;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Keys as bytes that can be read again. Equal keys have equal bytes, as in {@link KeyEncoding}; in
 * addition, keys of different classes differ, and no encoding is the beginning of another one. A
 * class is a hash of its name; {@link #classNames} has the names, without which the bytes cannot be
 * read. Not thread-safe.
 */
public final class KeyCodec {
  /** The types of keys with their codes, which are stored. */
  private enum Tag {
    NOTHING(0),
    STRING(1),
    INTEGER(2),
    LONG(3),
    FALSE(4),
    TRUE(5),
    BYTE(6),
    SHORT(7),
    CHARACTER(8),
    FLOAT(9),
    DOUBLE(10),
    BYTES(11),
    LIST(12),
    RECORD(13),
    ENUM(14),
    OBJECT(15),
    UNIQUE_ID(16),
    BIG_INTEGER(17),
    BIG_DECIMAL(18),
    OPTIONAL(19),
    EMPTY_OPTIONAL(20),
    ENTRY(21),
    DATE(22),
    INSTANT(23),
    DURATION(24),
    LOCAL_DATE(25),
    LOCAL_TIME(26),
    LOCAL_DATE_TIME(27),
    OFFSET_TIME(28),
    OFFSET_DATE_TIME(29),
    ZONED_DATE_TIME(30),
    ZONE(31),
    YEAR(32),
    YEAR_MONTH(33),
    MONTH_DAY(34),
    PERIOD(35);

    private final byte code;

    Tag(int code) {
      this.code = (byte) code;
    }
  }

  /** By their codes. */
  private static final Tag[] TAGS = new Tag[36];

  static {
    for (Tag tag : Tag.values()) {
      TAGS[tag.code] = tag;
    }
  }

  private final ClassLoader loader;
  private final Map<Integer, String> names = new TreeMap<>();
  private final Map<Integer, Class<?>> classes = new TreeMap<>();
  private byte[] bytes = new byte[64];
  private int size;

  /**
   * @param loader finds the classes of keys
   */
  public KeyCodec(ClassLoader loader) {
    this.loader = loader;
  }

  /** The names of the classes in all keys so far, in order. */
  public Set<String> classNames() {
    return new TreeSet<>(names.values());
  }

  /** Adds names of classes in keys that were written before. */
  public void addClassNames(Collection<String> known) {
    known.forEach(this::number);
  }

  /**
   * The bytes of a key after a prefix.
   *
   * @throws MillraceException of kind USER if it cannot be a key
   */
  public byte[] encode(byte[] prefix, Object key) {
    size = 0;
    room(prefix.length);
    System.arraycopy(prefix, 0, bytes, 0, prefix.length);
    size = prefix.length;
    try {
      write(key);
    } catch (UnsupportedKeyException e) {
      throw e.toUserError();
    } catch (StackOverflowError e) {
      throw new MillraceException(
          ErrorKind.USER,
          "A key of "
              + key.getClass().getName()
              + " contains itself or is nested too deeply. Use a key that contains only values.",
          e);
    }
    return Arrays.copyOf(bytes, size);
  }

  /** Reads the key at the position of a buffer, which moves behind it. */
  public Object decode(ByteBuffer in) {
    try {
      return read(in);
    } catch (MillraceException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError e) {
      // The bytes are not those of a key: too few, of no known kind, or no date, number or zone.
      throw new MillraceException(ErrorKind.EXTERNAL, "A stored key is damaged", e);
    }
  }

  // --- writing

  private void room(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
    }
  }

  private void tag(Tag tag) {
    room(1);
    bytes[size++] = tag.code;
  }

  private void putInt(int value) {
    room(4);
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  private void putLong(long value) {
    putInt((int) (value >>> 32));
    putInt((int) value);
  }

  private void putBytes(byte[] content) {
    putInt(content.length);
    room(content.length);
    System.arraycopy(content, 0, bytes, size, content.length);
    size += content.length;
  }

  private void number(Tag tag, long value) {
    tag(tag);
    putLong(value);
  }

  private void write(Object key) {
    if (key instanceof String text) {
      tag(Tag.STRING);
      putText(text);
    } else if (key instanceof Long number) {
      number(Tag.LONG, number);
    } else if (key instanceof Integer number) {
      tag(Tag.INTEGER);
      putInt(number);
    } else if (key instanceof Record) {
      writeFields(Tag.RECORD, key);
    } else if (key instanceof Enum<?> constant) {
      tag(Tag.ENUM);
      putInt(number(constant.getDeclaringClass().getName()));
      putText(constant.name());
    } else if (key instanceof List<?> list) {
      tag(Tag.LIST);
      putInt(list.size());
      list.forEach(element -> write(part(element, key)));
    } else if (key == null) {
      tag(Tag.NOTHING);
    } else if (key instanceof byte[] array) {
      tag(Tag.BYTES);
      putBytes(array);
    } else {
      writeNumber(key);
    }
  }

  /** Characters are not always valid Unicode, so that they are written as they are. */
  private void putText(String text) {
    boolean isLatin = true;
    for (int i = 0; i < text.length() && isLatin; i++) {
      isLatin = text.charAt(i) < 0x80;
    }
    if (isLatin) {
      putBytes(text.getBytes(StandardCharsets.US_ASCII));
      return;
    }
    putInt(-text.length());
    room(text.length() * 2);
    for (int i = 0; i < text.length(); i++) {
      bytes[size++] = (byte) (text.charAt(i) >>> 8);
      bytes[size++] = (byte) text.charAt(i);
    }
  }

  private void writeNumber(Object key) {
    if (key instanceof Boolean flag) {
      tag(flag ? Tag.TRUE : Tag.FALSE);
    } else if (key instanceof Byte number) {
      number(Tag.BYTE, number);
    } else if (key instanceof Short number) {
      number(Tag.SHORT, number);
    } else if (key instanceof Character character) {
      number(Tag.CHARACTER, character);
    } else if (key instanceof Float number) {
      number(Tag.FLOAT, Float.floatToIntBits(number));
    } else if (key instanceof Double number) {
      number(Tag.DOUBLE, Double.doubleToLongBits(number));
    } else if (key instanceof UUID id) {
      number(Tag.UNIQUE_ID, id.getMostSignificantBits());
      putLong(id.getLeastSignificantBits());
    } else if (key.getClass() == BigInteger.class) {
      tag(Tag.BIG_INTEGER);
      putBytes(((BigInteger) key).toByteArray());
    } else if (key.getClass() == BigDecimal.class) {
      tag(Tag.BIG_DECIMAL);
      putInt(((BigDecimal) key).scale());
      putBytes(((BigDecimal) key).unscaledValue().toByteArray());
    } else {
      writeTime(key);
    }
  }

  private void writeTime(Object key) {
    if (key instanceof Instant time) {
      number(Tag.INSTANT, time.getEpochSecond());
      putInt(time.getNano());
    } else if (key instanceof Duration time) {
      number(Tag.DURATION, time.getSeconds());
      putInt(time.getNano());
    } else if (key instanceof LocalDate date) {
      number(Tag.LOCAL_DATE, date.toEpochDay());
    } else if (key instanceof LocalTime time) {
      number(Tag.LOCAL_TIME, time.toNanoOfDay());
    } else if (key instanceof LocalDateTime time) {
      tag(Tag.LOCAL_DATE_TIME);
      putLocal(time);
    } else if (key instanceof OffsetTime time) {
      number(Tag.OFFSET_TIME, time.toLocalTime().toNanoOfDay());
      putInt(time.getOffset().getTotalSeconds());
    } else if (key instanceof OffsetDateTime time) {
      tag(Tag.OFFSET_DATE_TIME);
      putLocal(time.toLocalDateTime());
      putInt(time.getOffset().getTotalSeconds());
    } else if (key instanceof ZonedDateTime time) {
      tag(Tag.ZONED_DATE_TIME);
      putLocal(time.toLocalDateTime());
      putInt(time.getOffset().getTotalSeconds());
      putText(time.getZone().getId());
    } else if (key instanceof ZoneId zone) {
      tag(Tag.ZONE);
      putText(zone.getId());
    } else if (key instanceof Year year) {
      number(Tag.YEAR, year.getValue());
    } else if (key instanceof YearMonth month) {
      number(Tag.YEAR_MONTH, month.getYear());
      putInt(month.getMonthValue());
    } else if (key instanceof MonthDay day) {
      number(Tag.MONTH_DAY, day.getMonthValue());
      putInt(day.getDayOfMonth());
    } else if (key instanceof Period period) {
      number(Tag.PERIOD, period.getYears());
      putInt(period.getMonths());
      putInt(period.getDays());
    } else {
      writeObject(key);
    }
  }

  private void putLocal(LocalDateTime time) {
    putLong(time.toLocalDate().toEpochDay());
    putLong(time.toLocalTime().toNanoOfDay());
  }

  @SuppressWarnings("JavaUtilDate") // Programs have keys of it.
  private void writeObject(Object key) {
    if (key.getClass() == Date.class) {
      number(Tag.DATE, ((Date) key).getTime());
    } else if (key instanceof Optional<?> maybe) {
      tag(maybe.isPresent() ? Tag.OPTIONAL : Tag.EMPTY_OPTIONAL);
      maybe.ifPresent(value -> write(part(value, key)));
    } else if (key instanceof Map.Entry<?, ?> entry) {
      tag(Tag.ENTRY);
      write(part(entry.getKey(), key));
      write(part(entry.getValue(), key));
    } else {
      KeyTypes.refusalOfKey(key.getClass())
          .ifPresent(
              reason -> {
                throw new UnsupportedKeyException(key.getClass(), reason);
              });
      writeFields(Tag.OBJECT, key);
    }
  }

  private static Object part(Object part, Object holder) {
    if (part instanceof byte[]) {
      throw new UnsupportedKeyException(part.getClass(), KeyTypes.arrayIn(holder.getClass()));
    }
    return part;
  }

  private void writeFields(Tag tag, Object key) {
    KeyFields fields = KeyFields.of(key.getClass());
    tag(tag);
    putInt(number(key.getClass().getName()));
    for (int i = 0; i < fields.size(); i++) {
      Object part = fields.read(key, i);
      try {
        write(tag == Tag.RECORD ? part(part, key) : part);
      } catch (UnsupportedKeyException e) {
        throw e.in(fields.name(i));
      }
    }
  }

  private int number(String name) {
    int hash = name.hashCode();
    String known = names.putIfAbsent(hash, name);
    if (known != null && !known.equals(name)) {
      throw new MillraceException(
          ErrorKind.USER,
          "Keys are of "
              + known
              + " and "
              + name
              + ", whose names have the same hash. Give one of the classes another name.");
    }
    return hash;
  }

  // --- reading

  private static byte[] bytes(ByteBuffer in, int length) {
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] content = new byte[length];
    in.get(content);
    return content;
  }

  private static String text(ByteBuffer in) {
    int length = in.getInt();
    if (length >= 0) {
      return new String(bytes(in, length), StandardCharsets.US_ASCII);
    }
    if (-(long) length > in.remaining() / Character.BYTES) {
      throw new BufferUnderflowException();
    }
    char[] text = new char[-length];
    for (int i = 0; i < text.length; i++) {
      text[i] = in.getChar();
    }
    return new String(text);
  }

  private static LocalDateTime local(ByteBuffer in) {
    return LocalDateTime.of(
        LocalDate.ofEpochDay(in.getLong()), LocalTime.ofNanoOfDay(in.getLong()));
  }

  @SuppressWarnings("JavaUtilDate")
  private Object read(ByteBuffer in) {
    Tag tag = TAGS[in.get()];
    return switch (tag) {
      case NOTHING -> null;
      case STRING -> text(in);
      case INTEGER -> in.getInt();
      case LONG -> in.getLong();
      case FALSE -> false;
      case TRUE -> true;
      case BYTE -> (byte) in.getLong();
      case SHORT -> (short) in.getLong();
      case CHARACTER -> (char) in.getLong();
      case FLOAT -> Float.intBitsToFloat((int) in.getLong());
      case DOUBLE -> Double.longBitsToDouble(in.getLong());
      case BYTES -> bytes(in, in.getInt());
      case LIST -> list(in);
      case RECORD -> record(in);
      case ENUM -> constant(in);
      case OBJECT -> object(in);
      case UNIQUE_ID -> new UUID(in.getLong(), in.getLong());
      case BIG_INTEGER -> new BigInteger(bytes(in, in.getInt()));
      case BIG_DECIMAL -> {
        int scale = in.getInt();
        yield new BigDecimal(new BigInteger(bytes(in, in.getInt())), scale);
      }
      case OPTIONAL -> Optional.of(read(in));
      case EMPTY_OPTIONAL -> Optional.empty();
      case ENTRY -> {
        Object first = read(in);
        yield new AbstractMap.SimpleImmutableEntry<>(first, read(in));
      }
      case DATE -> new Date(in.getLong());
      case INSTANT -> Instant.ofEpochSecond(in.getLong(), in.getInt());
      case DURATION -> Duration.ofSeconds(in.getLong(), in.getInt());
      case LOCAL_DATE -> LocalDate.ofEpochDay(in.getLong());
      case LOCAL_TIME -> LocalTime.ofNanoOfDay(in.getLong());
      case LOCAL_DATE_TIME -> local(in);
      case OFFSET_TIME ->
          OffsetTime.of(
              LocalTime.ofNanoOfDay(in.getLong()), ZoneOffset.ofTotalSeconds(in.getInt()));
      case OFFSET_DATE_TIME -> OffsetDateTime.of(local(in), ZoneOffset.ofTotalSeconds(in.getInt()));
      case ZONED_DATE_TIME -> {
        LocalDateTime time = local(in);
        ZoneOffset offset = ZoneOffset.ofTotalSeconds(in.getInt());
        yield ZonedDateTime.ofInstant(time, offset, ZoneId.of(text(in)));
      }
      case ZONE -> ZoneId.of(text(in));
      case YEAR -> Year.of((int) in.getLong());
      case YEAR_MONTH -> YearMonth.of((int) in.getLong(), in.getInt());
      case MONTH_DAY -> MonthDay.of((int) in.getLong(), in.getInt());
      case PERIOD -> Period.of((int) in.getLong(), in.getInt(), in.getInt());
    };
  }

  private List<Object> list(ByteBuffer in) {
    int length = in.getInt();
    // Each element has a byte at least.
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    List<Object> list = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      list.add(read(in));
    }
    return Collections.unmodifiableList(list);
  }

  private Class<?> type(ByteBuffer in) {
    int hash = in.getInt();
    Class<?> known = classes.get(hash);
    if (known == null) {
      String name = names.get(hash);
      if (name == null) {
        throw new MillraceException(
            ErrorKind.EXTERNAL, "A stored key is damaged: it is of a class that no key had");
      }
      try {
        known = Class.forName(name, false, loader);
      } catch (ClassNotFoundException e) {
        throw new MillraceException(
            ErrorKind.USER,
            "Class "
                + name
                + " of keys does not exist any more. Its name must not change while there is state"
                + " of it",
            e);
      }
      classes.put(hash, known);
    }
    return known;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // The tag tells that it is an enum.
  private Object constant(ByteBuffer in) {
    Class<?> type = type(in);
    String name = text(in);
    try {
      return Enum.valueOf((Class<Enum>) type, name);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "A stored key is constant "
              + name
              + " of "
              + type.getName()
              + ", which does not have it any more. Put it back while there is state of it",
          e);
    }
  }

  private Object record(ByteBuffer in) {
    Class<?> type = type(in);
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = read(in);
    }
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw unreadable(type, e);
    }
  }

  private Object object(ByteBuffer in) {
    Class<?> type = type(in);
    try {
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      Object key = constructor.newInstance();
      for (Field field : KeyFields.fieldsOf(type)) {
        field.setAccessible(true);
        field.set(key, read(in));
      }
      return key;
    } catch (ReflectiveOperationException e) {
      throw unreadable(type, e);
    }
  }

  private static MillraceException unreadable(Class<?> type, ReflectiveOperationException cause) {
    return new MillraceException(
        ErrorKind.USER,
        "A stored key of "
            + type.getName()
            + " cannot be created: "
            + cause
            + ". Make the class a record, or give it a constructor without parameters.",
        cause);
  }
}
