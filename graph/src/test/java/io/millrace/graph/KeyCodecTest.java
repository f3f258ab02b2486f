package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class KeyCodecTest {
  private static final byte[] NO_PREFIX = {};

  record User(int id) {}

  record Device(int id) {}

  record Nested(User user, List<DayOfWeek> days, Optional<String> label) {}

  /** A class as people wrote them before there were records. */
  static final class Account {
    private String bank;
    private long number;

    Account() {}

    Account(String bank, long number) {
      this.bank = bank;
      this.number = number;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Account that && that.bank.equals(bank) && that.number == number;
    }

    @Override
    public int hashCode() {
      return Objects.hash(bank, number);
    }
  }

  private static final List<Object> KEYS =
      List.of(
          "",
          "text",
          "größer \ud83d\ude00 \ud800",
          1,
          -1,
          1L,
          Long.MIN_VALUE,
          (byte) 3,
          (short) -3,
          'x',
          true,
          false,
          1.5f,
          -0.0,
          Double.NaN,
          new User(1),
          new Device(1),
          new Nested(new User(7), List.of(DayOfWeek.MONDAY), Optional.of("a")),
          new Nested(new User(7), List.of(), Optional.empty()),
          DayOfWeek.MONDAY,
          List.of(1, "two", List.of()),
          new UUID(1, -2),
          new BigInteger("123456789012345678901234567890"),
          new BigDecimal("1.00"),
          new BigDecimal("1.0"),
          Map.entry("a", 1),
          Instant.ofEpochSecond(-5, 7),
          Duration.ofMillis(-1),
          LocalDate.of(2026, 2, 28),
          LocalTime.of(1, 2, 3, 4),
          LocalDateTime.of(2026, 1, 1, 0, 0),
          OffsetTime.of(LocalTime.NOON, ZoneOffset.ofHours(2)),
          OffsetDateTime.of(LocalDateTime.of(2026, 1, 1, 0, 0), ZoneOffset.ofHours(-2)),
          ZonedDateTime.of(LocalDateTime.of(2026, 7, 1, 0, 0), ZoneId.of("Europe/Berlin")),
          ZoneId.of("Europe/Berlin"),
          Year.of(2026),
          YearMonth.of(2026, 7),
          MonthDay.of(7, 1),
          Period.of(1, 2, 3),
          new Account("bank", 12));

  private final KeyCodec codec = new KeyCodec(KeyCodecTest.class.getClassLoader());

  @Test
  void keysAreReadAsTheyWereWritten() {
    for (Object key : KEYS) {
      ByteBuffer in = ByteBuffer.wrap(codec.encode(new byte[] {1, 2}, key), 2, codecLength(key));
      assertThat(codec.decode(in)).isEqualTo(key);
      assertThat(in.hasRemaining()).as("%s", key).isFalse();
    }
  }

  private int codecLength(Object key) {
    return codec.encode(NO_PREFIX, key).length;
  }

  @Test
  void anotherCodecReadsKeysWithTheNamesOfTheirClasses() {
    byte[] bytes = codec.encode(NO_PREFIX, new Nested(new User(7), List.of(), Optional.empty()));
    KeyCodec other = new KeyCodec(KeyCodecTest.class.getClassLoader());
    other.addClassNames(codec.classNames());
    assertThat(other.decode(ByteBuffer.wrap(bytes)))
        .isEqualTo(new Nested(new User(7), List.of(), Optional.empty()));
  }

  @Test
  void differentKeysDifferAndNoneIsTheBeginningOfAnother() {
    List<byte[]> all = new ArrayList<>();
    KEYS.forEach(key -> all.add(codec.encode(NO_PREFIX, key)));
    for (int i = 0; i < all.size(); i++) {
      for (int j = 0; j < all.size(); j++) {
        if (i != j) {
          byte[] one = all.get(i);
          byte[] other = all.get(j);
          assertThat(
                  one.length <= other.length
                      && Arrays.equals(one, 0, one.length, other, 0, one.length))
              .as("%s and %s", KEYS.get(i), KEYS.get(j))
              .isFalse();
        }
      }
    }
  }

  @Test
  void equalListsOfDifferentClassesAreOneKey() {
    assertThat(codec.encode(NO_PREFIX, new ArrayList<>(List.of(1, 2))))
        .isEqualTo(codec.encode(NO_PREFIX, List.of(1, 2)));
  }

  @Test
  void refusesWhatCannotBeAKey() {
    assertThatThrownBy(() -> codec.encode(NO_PREFIX, new int[] {1}))
        .isInstanceOf(MillraceException.class);
    byte[] damaged = Arrays.copyOf(codec.encode(NO_PREFIX, "text"), 4);
    assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(damaged)))
        .hasMessageContaining("damaged");
  }

  // --- random keys

  /** A key of any type, of few values, so that equal ones come up. */
  @SuppressWarnings("JavaUtilDate") // Programs have keys of it.
  private static Object random(Random random, int depth) {
    int number = random.nextInt(4) - 1;
    return switch (random.nextInt(depth > 3 ? 24 : 30)) {
      case 0 -> number;
      case 1 -> (long) number;
      case 2 -> (byte) number;
      case 3 -> (short) number;
      case 4 -> (char) ('a' + number);
      case 5 -> number == 0;
      case 6 -> number / 2.0f;
      case 7 -> number == 0 ? -0.0 : number / 2.0;
      case 8 -> "x".repeat(number + 1);
      case 9 -> "\u00e4".repeat(number + 1);
      case 10 -> "\ud800" + (char) ('\uffff' - number);
      case 11 -> DayOfWeek.of(number + 2);
      case 12 -> new UUID(number, -number);
      case 13 -> BigInteger.valueOf(number).shiftLeft(70 * (number + 1));
      case 14 -> new BigDecimal(BigInteger.valueOf(number), number);
      case 15 -> Instant.ofEpochSecond(number, 999_999_999 - number);
      case 16 -> LocalDate.ofEpochDay(number * 100_000L);
      case 17 -> LocalDateTime.of(2026, 10, 25, 2 + number, 30);
      // Twice that hour, in the night in which clocks go back.
      case 18 ->
          ZonedDateTime.ofInstant(
              Instant.parse("2026-10-25T00:30:00Z").plusSeconds(3600L * number),
              ZoneId.of("Europe/Berlin"));
      case 19 -> OffsetTime.of(LocalTime.MAX, ZoneOffset.ofHours(number));
      case 20 -> Period.of(number, -number, 7);
      case 21 -> new java.util.Date(number);
      case 22 -> Year.of(number);
      case 23 -> new Account("b".repeat(number + 1), number);
      case 24 -> new User(number);
      case 25 -> Map.entry(random(random, depth + 1), random(random, depth + 1));
      case 26 -> Optional.ofNullable(number == 0 ? null : random(random, depth + 1));
      case 27 ->
          new Pair(random(random, depth + 1), number == 0 ? null : random(random, depth + 1));
      default -> {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(random.nextInt(5) == 0 ? null : random(random, depth + 1));
        }
        yield random.nextBoolean() ? list : Collections.unmodifiableList(list);
      }
    };
  }

  record Pair(Object left, Object right) {}

  private static boolean isBeginning(byte[] one, byte[] other) {
    return one.length <= other.length && Arrays.equals(one, 0, one.length, other, 0, one.length);
  }

  @Test
  void bytesAreEqualAsKeysAreAndNoneIsTheBeginningOfAnother() {
    Random random = new Random(17);
    int equal = 0;
    for (int round = 0; round < 60; round++) {
      List<Object> keys = new ArrayList<>();
      List<byte[]> all = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        keys.add(random(random, 0));
        all.add(codec.encode(NO_PREFIX, keys.get(i)));
        ByteBuffer in = ByteBuffer.wrap(all.get(i));
        assertThat(codec.decode(in)).isEqualTo(keys.get(i));
        assertThat(in.hasRemaining()).isFalse();
      }
      for (int i = 0; i < keys.size(); i++) {
        for (int j = 0; j < i; j++) {
          boolean same = keys.get(i).equals(keys.get(j));
          equal += same ? 1 : 0;
          assertThat(Arrays.equals(all.get(i), all.get(j)))
              .as("%s and %s", keys.get(i), keys.get(j))
              .isEqualTo(same);
          if (same) {
            assertThat(KeyGroups.groupOf(keys.get(i), 1 << 15))
                .isEqualTo(KeyGroups.groupOf(keys.get(j), 1 << 15));
          } else {
            assertThat(isBeginning(all.get(i), all.get(j)) || isBeginning(all.get(j), all.get(i)))
                .as("%s and %s", keys.get(i), keys.get(j))
                .isFalse();
          }
        }
      }
    }
    assertThat(equal).as("equal keys among them").isGreaterThan(500);
  }

  // --- wrong bytes

  private void assertDamaged(byte[] bytes, String what) {
    assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(bytes)))
        .as(what)
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("A stored key is damaged");
  }

  @Test
  void aKeyThatEndsEarlyIsDamaged() {
    for (Object key : KEYS) {
      byte[] whole = codec.encode(NO_PREFIX, key);
      for (int length = 0; length < whole.length; length++) {
        assertDamaged(Arrays.copyOf(whole, length), key + " cut at " + length);
      }
    }
  }

  @Test
  void lengthsThatNoBytesFillAreRefusedBeforeMemoryIsTaken() {
    int string = 1;
    int bytes = 11;
    int list = 12;
    int bigInteger = 17;
    for (int type : new int[] {string, bytes, list, bigInteger}) {
      for (int length :
          new int[] {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -3, 3, Integer.MAX_VALUE}) {
        assertDamaged(
            ByteBuffer.allocate(7).put((byte) type).putInt(length).array(),
            "type " + type + " of length " + length);
      }
    }
    assertDamaged(ByteBuffer.allocate(5).put((byte) bigInteger).array(), "a number of no bytes");
    assertDamaged(new byte[] {-1}, "a negative type");
    assertDamaged(new byte[] {99}, "an unknown type");
    ByteBuffer deep = ByteBuffer.allocate(1 << 20);
    while (deep.remaining() > 5) {
      deep.put((byte) list).putInt(1);
    }
    assertDamaged(deep.array(), "lists in lists");
  }

  @Test
  void changedBytesGiveAnotherKeyOrAnErrorAndNothingElse() {
    Random random = new Random(23);
    int refused = 0;
    for (int i = 0; i < 30_000; i++) {
      Object key = i % 2 == 0 ? KEYS.get(random.nextInt(KEYS.size())) : random(random, 0);
      byte[] changed = codec.encode(NO_PREFIX, key);
      for (int times = random.nextInt(3); times >= 0; times--) {
        changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        codec.decode(ByteBuffer.wrap(changed));
      } catch (MillraceException e) {
        refused++;
        assertThat(e).hasMessageContaining("stored key");
      }
    }
    assertThat(refused).isGreaterThan(1000);
  }

  @Test
  void aConstantThatIsGoneIsNamed() {
    byte[] bytes = codec.encode(NO_PREFIX, DayOfWeek.MONDAY);
    bytes[bytes.length - 1] = 'X';
    assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("constant MONDAX of java.time.DayOfWeek");
  }

  @Test
  void aClassThatIsGoneIsNamed() {
    byte[] bytes = codec.encode(NO_PREFIX, new User(1));
    KeyCodec elsewhere = new KeyCodec(ClassLoader.getPlatformClassLoader());
    elsewhere.addClassNames(codec.classNames());
    assertThatThrownBy(() -> elsewhere.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Class " + User.class.getName() + " of keys does not exist any more");
    KeyCodec withoutNames = new KeyCodec(KeyCodecTest.class.getClassLoader());
    assertThatThrownBy(() -> withoutNames.decode(ByteBuffer.wrap(bytes)))
        .hasMessageStartingWith("A stored key is damaged");
  }

  /** Classes of which a constructor or a field does not take what was stored. */
  static final class NoDefault {
    private final int number;

    NoDefault(int number) {
      this.number = number;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof NoDefault that && that.number == number;
    }

    @Override
    public int hashCode() {
      return number;
    }
  }

  @Test
  void aClassWithoutAConstructorForReadingIsRefusedWithAdvice() {
    byte[] bytes = codec.encode(NO_PREFIX, new NoDefault(1));
    assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("NoDefault cannot be created")
        .hasMessageContaining("Make the class a record, or give it a constructor");
  }

  /** Names of classes with one hash: "Aa" and "BB". */
  @Test
  void classesWhoseNamesHaveOneHashAreRefused() {
    codec.addClassNames(List.of("com.example.Aa"));
    assertThatThrownBy(() -> codec.addClassNames(List.of("com.example.BB")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("com.example.Aa and com.example.BB");
  }
}
