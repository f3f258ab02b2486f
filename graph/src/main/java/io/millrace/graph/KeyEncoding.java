package io.millrace.graph;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
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
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The canonical encoding of keys: a tag for the type of a value, and its content. Records, lists
 * and classes of the program are encoded field by field. Two keys of one type have the same
 * encoding if and only if they are equal, in every JVM and every release.
 *
 * <p>One traversal of a key has two visitors: one computes a hash without allocation, one writes
 * bytes.
 */
final class KeyEncoding {
  private static final long NOTHING = 1;
  private static final long BOOLEAN = 2;
  private static final long BYTE = 3;
  private static final long SHORT = 4;
  private static final long CHARACTER = 5;
  private static final long INTEGER = 6;
  private static final long LONG = 7;
  private static final long FLOAT = 8;
  private static final long DOUBLE = 9;
  private static final long STRING = 10;
  private static final long ENUM = 11;
  private static final long LIST = 12;
  private static final long RECORD = 13;
  private static final long OBJECT = 14;
  private static final long BYTES = 15;
  private static final long UNIQUE_ID = 16;
  private static final long BIG_INTEGER = 17;
  private static final long LARGE_INTEGER = 18;
  private static final long BIG_DECIMAL = 19;
  private static final long OPTIONAL = 20;
  private static final long DATE = 21;
  private static final long INSTANT = 22;
  private static final long DURATION = 23;
  private static final long LOCAL_DATE = 24;
  private static final long LOCAL_TIME = 25;
  private static final long LOCAL_DATE_TIME = 26;
  private static final long OFFSET_TIME = 27;
  private static final long OFFSET_DATE_TIME = 28;
  private static final long ZONED_DATE_TIME = 29;
  private static final long ZONE_OFFSET = 30;
  private static final long ZONE = 31;
  private static final long YEAR = 32;
  private static final long YEAR_MONTH = 33;
  private static final long MONTH_DAY = 34;
  private static final long PERIOD = 35;
  private static final long ENTRY = 36;

  private KeyEncoding() {}

  /** Combines values in the order of the traversal. */
  private abstract static class Visitor {
    abstract long number(long tag, long value);

    abstract long text(long tag, String text);

    abstract long bytes(long tag, byte[] bytes);

    /** Combines the result so far with the next value. */
    abstract long join(long before, long next);
  }

  /**
   * The hash of a key. Strings and names of enum constants contribute their {@code hashCode}, which
   * the Java language specifies and a string caches.
   */
  static long hash(Object key) {
    if (key instanceof String text) {
      return mix(STRING, text.hashCode());
    }
    if (key instanceof Integer number) {
      return mix(INTEGER, number);
    }
    if (key instanceof Long number) {
      return mix(LONG, number);
    }
    return walk(Hashing.INSTANCE, key);
  }

  /** The canonical encoding as bytes. */
  static byte[] encode(Object key) {
    Writing writing = new Writing();
    walk(writing, key);
    return writing.out.toByteArray();
  }

  private static long walk(Visitor visitor, Object key) {
    if (key instanceof String text) {
      return visitor.text(STRING, text);
    }
    if (key instanceof Integer number) {
      return visitor.number(INTEGER, number);
    }
    if (key instanceof Long number) {
      return visitor.number(LONG, number);
    }
    if (key instanceof Record record) {
      KeyFields parts = KeyFields.of(record.getClass());
      return walk(visitor, RECORD, record, parts);
    }
    if (key instanceof Enum<?> constant) {
      return visitor.text(ENUM, constant.name());
    }
    if (key instanceof List<?> list) {
      long all = visitor.number(LIST, list.size());
      for (Object element : list) {
        all = visitor.join(all, walk(visitor, part(element, key)));
      }
      return all;
    }
    if (key instanceof UUID id) {
      return visitor.join(
          visitor.number(UNIQUE_ID, id.getMostSignificantBits()),
          visitor.number(UNIQUE_ID, id.getLeastSignificantBits()));
    }
    if (key instanceof byte[] bytes) {
      return visitor.bytes(BYTES, bytes);
    }
    return walkNumber(visitor, key);
  }

  private static long walkNumber(Visitor visitor, Object key) {
    if (key == null) {
      return visitor.number(NOTHING, 0);
    }
    if (key instanceof Boolean flag) {
      return visitor.number(BOOLEAN, flag ? 1 : 0);
    }
    if (key instanceof Character character) {
      return visitor.number(CHARACTER, character);
    }
    if (key instanceof Byte number) {
      return visitor.number(BYTE, number);
    }
    if (key instanceof Short number) {
      return visitor.number(SHORT, number);
    }
    if (key instanceof Float number) {
      return visitor.number(FLOAT, Float.floatToIntBits(number));
    }
    if (key instanceof Double number) {
      return visitor.number(DOUBLE, Double.doubleToLongBits(number));
    }
    if (key.getClass() == BigInteger.class) {
      BigInteger number = (BigInteger) key;
      return number.bitLength() < Long.SIZE
          ? visitor.number(BIG_INTEGER, number.longValue())
          : visitor.bytes(LARGE_INTEGER, number.toByteArray());
    }
    if (key.getClass() == BigDecimal.class) {
      // With the scale, because 1.0 and 1.00 are not equal.
      BigDecimal number = (BigDecimal) key;
      return visitor.join(
          visitor.number(BIG_DECIMAL, number.scale()), walk(visitor, number.unscaledValue()));
    }
    return walkTime(visitor, key);
  }

  private static long walkTime(Visitor visitor, Object key) {
    if (key instanceof Instant time) {
      return pair(visitor, INSTANT, time.getEpochSecond(), time.getNano());
    }
    if (key instanceof Duration time) {
      return pair(visitor, DURATION, time.getSeconds(), time.getNano());
    }
    if (key instanceof LocalDate date) {
      return visitor.number(LOCAL_DATE, date.toEpochDay());
    }
    if (key instanceof LocalTime time) {
      return visitor.number(LOCAL_TIME, time.toNanoOfDay());
    }
    if (key instanceof LocalDateTime time) {
      return dateTime(visitor, LOCAL_DATE_TIME, time);
    }
    if (key instanceof OffsetTime time) {
      return pair(
          visitor,
          OFFSET_TIME,
          time.toLocalTime().toNanoOfDay(),
          time.getOffset().getTotalSeconds());
    }
    if (key instanceof OffsetDateTime time) {
      return visitor.join(
          dateTime(visitor, OFFSET_DATE_TIME, time.toLocalDateTime()),
          visitor.number(ZONE_OFFSET, time.getOffset().getTotalSeconds()));
    }
    if (key instanceof ZonedDateTime time) {
      long local = dateTime(visitor, ZONED_DATE_TIME, time.toLocalDateTime());
      long offset = visitor.number(ZONE_OFFSET, time.getOffset().getTotalSeconds());
      return visitor.join(visitor.join(local, offset), walk(visitor, time.getZone()));
    }
    if (key instanceof ZoneOffset offset) {
      return visitor.number(ZONE_OFFSET, offset.getTotalSeconds());
    }
    if (key instanceof ZoneId zone) {
      return visitor.text(ZONE, zone.getId());
    }
    if (key instanceof Year year) {
      return visitor.number(YEAR, year.getValue());
    }
    if (key instanceof YearMonth month) {
      return pair(visitor, YEAR_MONTH, month.getYear(), month.getMonthValue());
    }
    if (key instanceof MonthDay day) {
      return pair(visitor, MONTH_DAY, day.getMonthValue(), day.getDayOfMonth());
    }
    if (key instanceof Period period) {
      return visitor.join(
          pair(visitor, PERIOD, period.getYears(), period.getMonths()),
          visitor.number(PERIOD, period.getDays()));
    }
    return walkObject(visitor, key);
  }

  @SuppressWarnings("JavaUtilDate") // Programs have keys of it.
  private static long walkObject(Visitor visitor, Object key) {
    if (key.getClass() == Date.class) {
      return visitor.number(DATE, ((Date) key).getTime());
    }
    if (key instanceof Optional<?> maybe) {
      return visitor.join(
          visitor.number(OPTIONAL, maybe.isPresent() ? 1 : 0),
          walk(visitor, part(maybe.orElse(null), key)));
    }
    if (key instanceof Map.Entry<?, ?> entry) {
      long first = visitor.join(visitor.number(ENTRY, 2), walk(visitor, part(entry.getKey(), key)));
      return visitor.join(first, walk(visitor, part(entry.getValue(), key)));
    }
    KeyTypes.refusalOfKey(key.getClass())
        .ifPresent(
            reason -> {
              throw new UnsupportedKeyException(key.getClass(), reason);
            });
    return walk(visitor, OBJECT, key, KeyFields.of(key.getClass()));
  }

  private static long walk(Visitor visitor, long tag, Object key, KeyFields parts) {
    long all = visitor.number(tag, parts.size());
    for (int i = 0; i < parts.size(); i++) {
      Object part = parts.read(key, i);
      try {
        all = visitor.join(all, walk(visitor, tag == RECORD ? part(part, key) : part));
      } catch (UnsupportedKeyException e) {
        throw e.in(parts.name(i));
      }
    }
    if (visitor == Hashing.INSTANCE) {
      parts.checkEquals(key, all, KeyEncoding::hash);
    }
    return all;
  }

  /** An element of a record, list, entry or optional, which compare elements by equals. */
  private static Object part(Object part, Object holder) {
    if (part instanceof byte[]) {
      throw new UnsupportedKeyException(part.getClass(), KeyTypes.arrayIn(holder.getClass()));
    }
    return part;
  }

  private static long pair(Visitor visitor, long tag, long one, long two) {
    return visitor.join(visitor.number(tag, one), visitor.number(tag, two));
  }

  private static long dateTime(Visitor visitor, long tag, LocalDateTime time) {
    return pair(visitor, tag, time.toLocalDate().toEpochDay(), time.toLocalTime().toNanoOfDay());
  }

  // --- hashing

  /** Spreads tags over all bits; odd, so that tags stay distinct. */
  private static final long TAG = 0x9e3779b97f4a7c15L;

  /** Mixes all bits of both arguments. */
  private static long mix(long seed, long value) {
    long bits = seed * TAG ^ value;
    bits = (bits ^ bits >>> 33) * 0xff51afd7ed558ccdL;
    bits = (bits ^ bits >>> 33) * 0xc4ceb9fe1a85ec53L;
    return bits ^ bits >>> 33;
  }

  private static final class Hashing extends Visitor {
    static final Hashing INSTANCE = new Hashing();

    @Override
    long number(long tag, long value) {
      return mix(tag, value);
    }

    @Override
    long text(long tag, String text) {
      return mix(tag, text.hashCode());
    }

    @Override
    long bytes(long tag, byte[] bytes) {
      long hash = mix(tag, bytes.length);
      for (byte one : bytes) {
        hash = hash * 31 + one;
      }
      return mix(tag, hash);
    }

    @Override
    long join(long before, long next) {
      return mix(before, next);
    }
  }

  /** Writes tags as one byte, numbers as eight, and strings and arrays after their length. */
  private static final class Writing extends Visitor {
    final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Override
    long number(long tag, long value) {
      out.write((int) tag);
      out.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
      return 0;
    }

    @Override
    long text(long tag, String text) {
      number(tag, text.length());
      ByteBuffer characters = ByteBuffer.allocate(text.length() * Character.BYTES);
      text.chars().forEach(character -> characters.putChar((char) character));
      out.writeBytes(characters.array());
      return 0;
    }

    @Override
    long bytes(long tag, byte[] bytes) {
      number(tag, bytes.length);
      out.writeBytes(bytes);
      return 0;
    }

    @Override
    long join(long before, long next) {
      return 0;
    }
  }
}
