package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Keys of one type are equal if and only if they have the same canonical form. */
@SuppressWarnings({"JavaUtilDate", "JdkObsolete", "NullOptional"}) // Programs have such keys.
class KeyEncodingTest {
  private enum Colour {
    RED,
    GREEN
  }

  private record Point(int x, Optional<String> label) {}

  private record Nested(Point point, List<Colour> colours, UUID id) {}

  /** A class as people wrote them before there were records. */
  static class Account {
    private final String bank;
    private final byte[] number;
    transient int uses;

    Account(String bank, byte[] number) {
      this.bank = bank;
      this.number = number;
    }

    @Override
    public boolean equals(Object other) {
      return other != null
          && other.getClass() == getClass()
          && Objects.equals(((Account) other).bank, bank)
          && Arrays.equals(((Account) other).number, number);
    }

    @Override
    public int hashCode() {
      uses++;
      return Objects.hash(bank, Arrays.hashCode(number));
    }
  }

  private static final class Deposit extends Account {
    private final Point at;

    Deposit(String bank, byte[] number, Point at) {
      super(bank, number);
      this.at = at;
    }

    @Override
    public boolean equals(Object other) {
      return super.equals(other) && ((Deposit) other).at.equals(at);
    }

    @Override
    public int hashCode() {
      return super.hashCode() * 31 + at.hashCode();
    }
  }

  /** From a small range, so that equal ones come up again and again. */
  private static final Map<String, Function<Random, Object>> KINDS = new LinkedHashMap<>();

  static {
    KINDS.put("Boolean", Random::nextBoolean);
    KINDS.put("Byte", random -> (byte) random.nextInt(20));
    KINDS.put("Short", random -> (short) (random.nextInt(20) - 10));
    KINDS.put("Character", random -> (char) ('a' + random.nextInt(20)));
    KINDS.put("Integer", random -> random.nextInt(20) - 10);
    KINDS.put("Long", random -> random.nextInt(20) - 10L);
    KINDS.put("Float", random -> List.of(0f, -0f, Float.NaN, 1.5f, -1.5f).get(random.nextInt(5)));
    KINDS.put("Double", random -> List.of(0d, -0d, Double.NaN, 1.5, 1e300).get(random.nextInt(5)));
    KINDS.put("String", KeyEncodingTest::text);
    KINDS.put("Enum", random -> Colour.values()[random.nextInt(2)]);
    KINDS.put("DayOfWeek", random -> DayOfWeek.of(1 + random.nextInt(7)));
    KINDS.put("UUID", random -> new UUID(random.nextInt(4), random.nextInt(4)));
    KINDS.put("BigInteger", KeyEncodingTest::integer);
    KINDS.put("BigDecimal", random -> new BigDecimal(integer(random), random.nextInt(4) - 1));
    KINDS.put("byte[]", KeyEncodingTest::bytes);
    KINDS.put("Date", random -> new Date(random.nextInt(20)));
    KINDS.put("Instant", KeyEncodingTest::instant);
    KINDS.put("Duration", random -> Duration.ofMillis(random.nextInt(40) * 250 - 5000));
    KINDS.put("LocalDate", random -> LocalDate.ofEpochDay(random.nextInt(20) - 10));
    KINDS.put("LocalTime", random -> LocalTime.ofNanoOfDay(random.nextInt(20)));
    KINDS.put("LocalDateTime", random -> LocalDateTime.ofInstant(instant(random), ZoneOffset.UTC));
    KINDS.put(
        "OffsetTime",
        random -> OffsetTime.ofInstant(instant(random), ZoneOffset.ofHours(two(random))));
    KINDS.put(
        "OffsetDateTime",
        random -> OffsetDateTime.ofInstant(instant(random), ZoneOffset.ofHours(two(random))));
    KINDS.put("ZonedDateTime", random -> ZonedDateTime.ofInstant(instant(random), zone(random)));
    KINDS.put("ZoneId", KeyEncodingTest::zone);
    KINDS.put("Year", random -> Year.of(2000 + random.nextInt(20)));
    KINDS.put("YearMonth", random -> YearMonth.of(2000 + two(random), 1 + random.nextInt(12)));
    KINDS.put("MonthDay", random -> MonthDay.of(1 + two(random), 1 + random.nextInt(28)));
    KINDS.put("Period", random -> Period.of(two(random), two(random), two(random)));
    KINDS.put(
        "Optional", random -> Optional.ofNullable(random.nextBoolean() ? text(random) : null));
    KINDS.put("List", KeyEncodingTest::list);
    KINDS.put("Entry", random -> Map.entry(text(random), random.nextInt(4)));
    KINDS.put("record", KeyEncodingTest::point);
    KINDS.put(
        "nested record",
        random ->
            new Nested(
                point(random),
                random.nextBoolean() ? null : List.of(Colour.values()[two(random)]),
                new UUID(0, two(random))));
    KINDS.put("class", random -> new Account(text(random), (byte[]) bytes(random)));
    KINDS.put(
        "subclass", random -> new Deposit(text(random), (byte[]) bytes(random), point(random)));
  }

  private static int two(Random random) {
    return random.nextInt(2);
  }

  private static String text(Random random) {
    return List.of("", "a", "Aa", "BB", "ab", "b", "mühle", "\u0000", "水").get(random.nextInt(9));
  }

  private static BigInteger integer(Random random) {
    BigInteger small = BigInteger.valueOf(random.nextInt(10) - 5);
    return random.nextBoolean() ? small : small.shiftLeft(62 + random.nextInt(4)).add(small);
  }

  private static Object bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(4)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) - 1);
    }
    return bytes;
  }

  private static Instant instant(Random random) {
    return Instant.ofEpochSecond(random.nextInt(6) - 3, random.nextInt(3));
  }

  private static ZoneId zone(Random random) {
    return List.of(
            ZoneId.of("Europe/Paris"), ZoneId.of("UTC"), ZoneOffset.UTC, ZoneOffset.ofHours(1))
        .get(random.nextInt(4));
  }

  private static Object list(Random random) {
    List<Object> list = random.nextBoolean() ? new ArrayList<>() : new java.util.LinkedList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      list.add(random.nextInt(4) == 0 ? list(random) : random.nextInt(3));
    }
    return list;
  }

  private static Point point(Random random) {
    return new Point(random.nextInt(3), random.nextBoolean() ? null : Optional.of(text(random)));
  }

  @TestFactory
  List<DynamicTest> equalKeysHaveTheSameFormAndOthersDoNot() {
    List<DynamicTest> tests = new ArrayList<>();
    KINDS.forEach(
        (kind, generator) ->
            tests.add(
                DynamicTest.dynamicTest(
                    kind,
                    () -> {
                      for (long seed = 1; seed <= 2000; seed++) {
                        Random random = new Random(seed);
                        Object one = generator.apply(random);
                        Object other = generator.apply(random);
                        boolean equal = Objects.deepEquals(one, other);
                        assertThat(
                                Arrays.equals(KeyEncoding.encode(one), KeyEncoding.encode(other)))
                            .as("seed %d: %s and %s", seed, one, other)
                            .isEqualTo(equal);
                        if (equal) {
                          assertThat(KeyEncoding.hash(one))
                              .as("seed %d: hash of %s", seed, one)
                              .isEqualTo(KeyEncoding.hash(other));
                        }
                      }
                    })));
    return tests;
  }

  /** A key of a list and one of its elements would share a group for no reason otherwise. */
  @Test
  void kindsAreToldApart() {
    List<Object> ones =
        List.of(
            true,
            (byte) 1,
            (short) 1,
            (char) 1,
            1,
            1L,
            "1",
            BigInteger.ONE,
            BigDecimal.ONE,
            new Date(1),
            LocalDate.ofEpochDay(1),
            LocalTime.ofNanoOfDay(1),
            Year.of(1),
            ZoneOffset.ofTotalSeconds(1),
            List.of(1),
            Optional.of(1),
            new byte[] {1},
            Duration.ofSeconds(1),
            Instant.ofEpochSecond(1),
            new UUID(1, 1),
            Map.entry(1, 1));
    assertThat(ones.stream().map(key -> HexFormat.of().formatHex(KeyEncoding.encode(key))))
        .doesNotHaveDuplicates();
    assertThat(ones.stream().map(KeyEncoding::hash)).doesNotHaveDuplicates();
  }

  /** Fixed for ever: state is found by these after a restart with another release. */
  @Test
  void formsAndHashesAreTheSameInEveryJvmAndRelease() {
    List<Object> keys =
        List.of(
            new UUID(1, 2),
            BigInteger.valueOf(-7),
            BigInteger.ONE.shiftLeft(70),
            new BigDecimal("1.50"),
            new byte[] {1, -1},
            new Date(3),
            Instant.ofEpochSecond(4, 5),
            Duration.ofSeconds(-6, 7),
            LocalDate.of(2024, 2, 29),
            LocalTime.of(12, 30),
            LocalDateTime.of(2024, 2, 29, 12, 30),
            OffsetTime.of(LocalTime.NOON, ZoneOffset.ofHours(2)),
            OffsetDateTime.of(LocalDateTime.of(2024, 2, 29, 12, 30), ZoneOffset.ofHours(2)),
            ZonedDateTime.of(2024, 2, 29, 12, 30, 0, 0, ZoneId.of("Europe/Paris")),
            ZoneId.of("Asia/Tokyo"),
            Year.of(2024),
            YearMonth.of(2024, 2),
            MonthDay.of(2, 29),
            Period.of(1, 2, 3),
            Optional.of("x"),
            Map.entry("k", 1),
            new Point(1, Optional.empty()),
            new Deposit("b", new byte[] {9}, new Point(2, null)));
    List<String> forms =
        keys.stream()
            .map(
                key ->
                    HexFormat.of().formatHex(KeyEncoding.encode(key))
                        + " "
                        + Long.toHexString(KeyEncoding.hash(key)))
            .toList();
    assertThat(forms).containsExactly(GOLDEN);
  }

  private static final String[] GOLDEN = {
    "100000000000000001100000000000000002 b6676b42e73de146",
    "11fffffffffffffff9 f20c99e5b9453d63",
    "120000000000000009400000000000000000 e687dcd836e0ed6b",
    "130000000000000002110000000000000096 2c87c5f4ccf44bb5",
    "0f000000000000000201ff 2cb3b82e2b13a8c1",
    "150000000000000003 41ef9706c479b061",
    "160000000000000004160000000000000005 eecaa9aae6f7cb69",
    "17fffffffffffffffa170000000000000007 affe2f17188a4615",
    "180000000000004d46 308f6b63d17a75e6",
    "19000028ed6103d000 1fcac6f511c6d453",
    "1a0000000000004d461a000028ed6103d000 86e6bb6dc498cd69",
    "1b0000274a48a780001b0000000000001c20 38e487de06301a1d",
    "1c0000000000004d461c000028ed6103d0001e0000000000001c20 4c0b20304b86f476",
    "1d0000000000004d461d000028ed6103d0001e0000000000000e101f000000000000000c00450075"
        + "0072006f00700065002f00500061007200690073 997fbcf0adfb246a",
    "1f000000000000000a0041007300690061002f0054006f006b0079006f 5f2f9d83d5c2942a",
    "2000000000000007e8 687d4974439fc37f",
    "2100000000000007e8210000000000000002 a9a53ce77bdee284",
    "22000000000000000222000000000000001d 9af036ff93d6500f",
    "230000000000000001230000000000000002230000000000000003 f188cb1cc96a860d",
    "1400000000000000010a00000000000000010078 ab945f6bd2fe8c20",
    "2400000000000000020a0000000000000001006b060000000000000001 f605c6724c5ea43a",
    "0d0000000000000002060000000000000001140000000000000000010000000000000000 32d7bf718600b868",
    "0e00000000000000030a000000000000000100620f0000000000000001090d000000000000000206"
        + "0000000000000002010000000000000000 a5c8ea27f417808f",
  };
}
