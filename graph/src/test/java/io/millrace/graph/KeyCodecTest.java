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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
}
