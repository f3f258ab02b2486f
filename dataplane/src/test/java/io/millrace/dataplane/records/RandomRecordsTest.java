package io.millrace.dataplane.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.Test;

/** Random values of random nested types, through the codec and back. A failure names its seed. */
class RandomRecordsTest {
  private static final int SEEDS = 400;
  private static final int DEPTH = 4;

  private final RecordBatchCodec codec =
      new RecordBatchCodec(RandomRecordsTest.class.getClassLoader(), Runnable::run);

  enum Colour {
    RED,
    GREEN {
      @Override
      boolean isDark() {
        return true;
      }
    };

    boolean isDark() {
      return false;
    }
  }

  record Primitives(
      boolean a, byte b, short c, char d, int e, long f, float g, double h, Integer i, Boolean j) {}

  record Pair<A, B>(A first, B second) {}

  record Named<T>(String name, List<T> values, Map<String, ? extends T> more) {}

  /** Private fields, a superclass, no constructor without arguments. */
  static class Account {
    private final String owner;
    private final long balance;

    Account(String owner, long balance) {
      this.owner = owner;
      this.balance = balance;
    }

    @Override
    public String toString() {
      return owner + " has " + balance;
    }
  }

  static final class Savings<T> extends Account {
    T terms;
    Savings<T> parent;
    int[] rates;

    Savings(String owner, long balance, T terms) {
      super(owner, balance);
      this.terms = terms;
    }
  }

  /** Public fields and a constructor without arguments. */
  public static class Bean {
    public String text;
    public Object anything;
    public List<Bean> beans = new ArrayList<>();
  }

  private static Object value(Random random, int depth) {
    return depth == 0 || random.nextInt(3) == 0 ? leaf(random) : nested(random, depth - 1);
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(12); length > 0; length--) {
      text.appendCodePoint(
          switch (random.nextInt(4)) {
            case 0 -> 0x4e00 + random.nextInt(500);
            case 1 -> 0x1f600 + random.nextInt(60);
            default -> ' ' + random.nextInt(200);
          });
    }
    return text.toString();
  }

  @SuppressWarnings("JavaUtilDate") // Programs have them all the same.
  private static Object leaf(Random random) {
    Instant time = Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
    LocalDateTime local = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    return switch (random.nextInt(36)) {
      case 0 -> null;
      case 1 -> random.nextInt();
      case 2 -> random.nextLong();
      case 3 -> random.nextDouble();
      case 4 -> random.nextFloat();
      case 5 -> (short) random.nextInt();
      case 6 -> (byte) random.nextInt();
      case 7 -> (char) random.nextInt();
      case 8 -> random.nextBoolean();
      case 9 -> Colour.RED;
      case 10 -> Colour.GREEN;
      case 11 -> new BigInteger(random.nextInt(200), random);
      case 12 -> new BigDecimal(new BigInteger(90, random), random.nextInt(20) - 10);
      case 13 -> new UUID(random.nextLong(), random.nextLong());
      case 14 -> new Date(random.nextInt());
      case 15 -> URI.create("http://example.com/" + random.nextInt());
      case 16 -> BitSet.valueOf(new long[] {random.nextLong()});
      case 17 -> random.nextBoolean() ? Locale.GERMANY : Locale.JAPAN;
      case 18 -> time;
      case 19 -> Duration.ofNanos(random.nextLong());
      case 20 -> local;
      case 21 -> local.toLocalDate();
      case 22 -> local.toLocalTime();
      case 23 -> ZonedDateTime.ofInstant(time, ZoneId.of("Europe/Berlin"));
      case 24 -> OffsetDateTime.ofInstant(time, ZoneOffset.ofHours(random.nextInt(10)));
      case 25 -> Period.of(random.nextInt(9), random.nextInt(9), random.nextInt(9));
      case 26 -> Year.of(random.nextInt(3000));
      case 27 -> YearMonth.of(2024, 1 + random.nextInt(12));
      case 28 -> MonthDay.of(2, 29);
      case 29 -> DayOfWeek.of(1 + random.nextInt(7));
      case 30 -> OptionalLong.of(random.nextLong());
      case 31 -> random.ints(random.nextInt(5)).toArray();
      case 32 -> random.doubles(random.nextInt(5)).toArray();
      case 33 ->
          new Primitives(
              random.nextBoolean(),
              (byte) random.nextInt(),
              (short) random.nextInt(),
              (char) random.nextInt(),
              random.nextInt(),
              random.nextLong(),
              random.nextFloat(),
              random.nextDouble(),
              random.nextBoolean() ? null : random.nextInt(),
              random.nextBoolean() ? null : true);
      default -> text(random);
    };
  }

  private static List<Object> values(Random random, int depth) {
    List<Object> values = new ArrayList<>();
    for (int count = random.nextInt(4); count > 0; count--) {
      values.add(value(random, depth));
    }
    return values;
  }

  private static List<Object> withoutNulls(Random random, int depth) {
    List<Object> values = values(random, depth);
    values.removeIf(java.util.Objects::isNull);
    return values;
  }

  private static Map<String, Object> map(Random random, int depth, Map<String, Object> into) {
    for (int count = random.nextInt(4); count > 0; count--) {
      into.put(text(random), value(random, depth));
    }
    return into;
  }

  private static Set<String> texts(Random random, Set<String> into) {
    for (int count = random.nextInt(4); count > 0; count--) {
      into.add(text(random));
    }
    return into;
  }

  @SuppressWarnings("JdkObsolete") // Programs have them all the same.
  private static Object nested(Random random, int depth) {
    return switch (random.nextInt(26)) {
      case 0 -> new Pair<>(value(random, depth), value(random, depth));
      case 1 -> new Pair<>(new Pair<>(leaf(random), "in"), value(random, depth));
      case 2 ->
          new Named<>(text(random), values(random, depth), map(random, depth, new HashMap<>()));
      case 3 -> {
        Savings<Object> account =
            new Savings<>(text(random), random.nextLong(), value(random, depth));
        account.parent = new Savings<>(null, 1, null);
        account.rates = random.ints(3).toArray();
        yield account;
      }
      case 4 -> new Account(text(random), random.nextLong());
      case 5 -> {
        Bean bean = new Bean();
        bean.text = text(random);
        bean.anything = value(random, depth);
        bean.beans.add(new Bean());
        yield bean;
      }
      case 6 -> values(random, depth);
      case 7 -> new LinkedList<>(values(random, depth));
      case 8 -> Arrays.asList(values(random, depth).toArray());
      case 9 -> List.copyOf(withoutNulls(random, depth));
      case 10 -> Collections.unmodifiableList(values(random, depth));
      case 11 -> Collections.singletonList(value(random, depth));
      case 12 -> map(random, depth, new HashMap<>());
      case 13 -> map(random, depth, new TreeMap<>());
      case 14 -> map(random, depth, new LinkedHashMap<>());
      case 15 -> Map.of("one", Optional.of(text(random)));
      case 16 -> Map.entry(text(random), Optional.empty());
      case 17 -> texts(random, new HashSet<>());
      case 18 -> texts(random, new TreeSet<>());
      case 19 -> Set.copyOf(texts(random, new HashSet<>()));
      case 20 -> {
        Map<Colour, Object> byColour = new EnumMap<>(Colour.class);
        byColour.put(Colour.GREEN, value(random, depth));
        yield byColour;
      }
      case 21 -> EnumSet.of(Colour.GREEN);
      case 22 -> values(random, depth).toArray();
      case 23 -> new String[][] {{text(random), null}, {}};
      case 24 -> Optional.ofNullable(value(random, depth));
      default -> new ArrayDeque<>(withoutNulls(random, depth));
    };
  }

  private static Object[] batch(long seed) {
    Random random = new Random(seed);
    Object[] batch = new Object[1 + random.nextInt(20)];
    for (int i = 0; i < batch.length; i++) {
      batch[i] = value(random, random.nextInt(DEPTH));
    }
    return batch;
  }

  private static void assertSame(Object read, Object written) {
    assertThat(read)
        .usingRecursiveComparison(
            RecursiveComparisonConfiguration.builder().withStrictTypeChecking(true).build())
        .isEqualTo(written);
  }

  @Test
  @Behaviour("H2: nested values of all supported types arrive unchanged in another process")
  void surviveTheWayToAnotherProcess() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Object[] batch = batch(seed);
      ByteArrayOutput out = new ByteArrayOutput();
      try {
        codec.encode(batch, 0, batch.length, out);
        Object[] read = codec.decode(out.array(), 0, out.size()).records();
        assertThat(read).hasSize(batch.length);
        for (int i = 0; i < batch.length; i++) {
          assertSame(read[i], batch[i]);
        }
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("Seed " + seed + ": " + Arrays.deepToString(batch), e);
      }
    }
  }

  /** Another process has its own codec, which has not seen the classes before. */
  @Test
  @Behaviour("H2: nested values of all supported types arrive unchanged in another process")
  void areReadByACodecThatSeesThemForTheFirstTime() {
    for (long seed = 0; seed < 30; seed++) {
      Object[] batch = batch(seed);
      ByteArrayOutput out = new ByteArrayOutput();
      new RecordBatchCodec(RandomRecordsTest.class.getClassLoader(), Runnable::run)
          .encode(batch, 0, batch.length, out);
      Object[] read =
          new RecordBatchCodec(RandomRecordsTest.class.getClassLoader(), Runnable::run)
              .decode(out.array(), 0, out.size())
              .records();
      assertSame(read, batch);
    }
  }

  @Test
  @Behaviour(
      "H2: a record that cannot be serialised is refused with the path to its field; bytes never"
          + " create other classes")
  void mutatedBytesGiveErrorsOrAllowedClasses() {
    ClassAllowList allowed = new ClassAllowList(RandomRecordsTest.class.getClassLoader(), Set.of());
    int decoded = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Object[] batch = batch(seed);
      ByteArrayOutput out = new ByteArrayOutput();
      codec.encode(batch, 0, batch.length, out);
      for (int i = 0; i < 25; i++) {
        byte[] bytes = Arrays.copyOf(out.array(), 1 + random.nextInt(out.size()));
        for (int flips = random.nextInt(3); flips >= 0; flips--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        Object[] read;
        try {
          read = codec.decode(bytes, 0, bytes.length).records();
        } catch (MillraceException expected) {
          continue;
        }
        decoded++;
        assertThat(new UnserializableValueFinder(allowed::test, Set.of()).in(read, 0, read.length))
            .as("seed %s", seed)
            .isEmpty();
      }
      Object[] again = {new Pair<>("still", "works")};
      ByteArrayOutput sink = new ByteArrayOutput();
      codec.encode(again, 0, 1, sink);
      assertThat(codec.decode(sink.array(), 0, sink.size()).records()).containsExactly(again);
    }
    assertThat(decoded).isPositive();
  }
}
