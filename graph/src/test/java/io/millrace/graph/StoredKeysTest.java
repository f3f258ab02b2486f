package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.core.error.ErrorKind;
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
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Keys that were stored by an earlier version of a program, or on a bad disk. */
@SuppressWarnings("JavaUtilDate") // Programs have such keys.
class StoredKeysTest {
  private static final byte[] NO_PREFIX = {};

  enum Colour {
    RED,
    GREEN
  }

  record User(int id, Colour colour) {}

  record Strict(int number) {
    Strict {
      if (number > 100) {
        throw new IllegalArgumentException("at most 100");
      }
    }
  }

  /** Without a constructor without parameters. */
  static final class Rigid {
    private final String name;

    Rigid(String name) {
      this.name = name;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Rigid that && that.name.equals(name);
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }
  }

  private static final List<Object> KEYS =
      List.of(
          "text",
          "\u4e2d\ud83d\ude00",
          7,
          7L,
          (byte) 7,
          (short) 7,
          'x',
          true,
          1.5f,
          1.5,
          new byte[] {1, 2, 3},
          new User(1, Colour.RED),
          Colour.GREEN,
          List.of(1, List.of("two"), Optional.of(3L)),
          Map.entry("a", 1),
          new UUID(1, 2),
          new BigInteger("123456789012345678901234567890"),
          new BigDecimal("12.50"),
          Optional.empty(),
          new Date(77),
          Instant.ofEpochSecond(5, 7),
          Duration.ofMillis(1500),
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
          DayOfWeek.MONDAY);

  private final KeyCodec codec = new KeyCodec(StoredKeysTest.class.getClassLoader());

  private void decode(Object key, byte[] bytes) {
    try {
      codec.decode(ByteBuffer.wrap(bytes));
    } catch (MillraceException e) {
      assertThat(e).hasMessageNotContaining("null");
    } catch (RuntimeException | Error e) {
      fail("%s as %s causes %s".formatted(key, HexFormat.of().formatHex(bytes), e), e);
    }
  }

  /** Each byte with each of a few other values. */
  @Test
  void changedBytesAreAnotherKeyOrAnErrorForTheUser() {
    for (Object key : KEYS) {
      byte[] bytes = codec.encode(NO_PREFIX, key);
      for (int at = 0; at < bytes.length; at++) {
        for (int value : new int[] {0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x20}) {
          byte[] changed = bytes.clone();
          changed[at] = (byte) value;
          decode(key, changed);
        }
      }
    }
  }

  @Test
  void eachTruncationIsDamaged() {
    for (Object key : KEYS) {
      byte[] bytes = codec.encode(NO_PREFIX, key);
      for (int length = 0; length < bytes.length; length++) {
        ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(bytes, length));
        assertThatThrownBy(() -> codec.decode(cut))
            .as("%d bytes of %s", length, key)
            .isInstanceOf(MillraceException.class)
            .hasMessage("A stored key is damaged");
      }
    }
  }

  @Test
  void randomBytesAreNoReasonForAnotherError() {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] bytes = new byte[random.nextInt(1, 40)];
      random.nextBytes(bytes);
      // A tag that exists, more often than by chance.
      bytes[0] = (byte) random.nextInt(40);
      try {
        codec.decode(ByteBuffer.wrap(bytes));
      } catch (MillraceException e) {
        assertThat(e.kind()).isIn(ErrorKind.EXTERNAL, ErrorKind.USER);
      }
    }
  }

  @Test
  void constantThatWasRemovedIsNamed() {
    byte[] bytes = codec.encode(NO_PREFIX, Colour.GREEN);
    String text = "GREEN";
    for (int i = 0; i < text.length(); i++) {
      bytes[bytes.length - text.length() + i] = (byte) "MAUVE".charAt(i);
    }

    assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessage(
            "A stored key is constant MAUVE of "
                + Colour.class.getName()
                + ", which does not have it any more. Put it back while there is state of it");
  }

  @Test
  void classThatWasRenamedIsNamed() {
    byte[] bytes = codec.encode(NO_PREFIX, new User(1, Colour.RED));
    KeyCodec without = new KeyCodec(ClassLoader.getPlatformClassLoader());
    without.addClassNames(codec.classNames());

    assertThatThrownBy(() -> without.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith(
            "Class " + User.class.getName() + " of keys does not exist any more");
  }

  @Test
  void keyThatItsConstructorRefusesNamesTheClassAndTheCause() {
    byte[] bytes = codec.encode(NO_PREFIX, new Strict(7));
    bytes[bytes.length - 2] = 1;

    assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("A stored key of " + Strict.class.getName() + " cannot be created")
        .hasRootCauseMessage("at most 100");
  }

  @Test
  void classWithoutAPlainConstructorIsToldHowToBecomeAKey() {
    byte[] bytes = codec.encode(NO_PREFIX, new Rigid("x"));

    assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(MillraceException.class)
        .hasMessageEndingWith(
            "Make the class a record, or give it a constructor without parameters.");
  }

  /** Strings with the same hash, whose classes could not be told apart. */
  @Test
  void classesWhoseNamesHaveTheSameHashAreRefused() {
    KeyCodec fresh = new KeyCodec(StoredKeysTest.class.getClassLoader());
    assertThat("a.Aa".hashCode()).isEqualTo("a.BB".hashCode());

    assertThatThrownBy(() -> fresh.addClassNames(List.of("a.Aa", "a.BB")))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("Keys are of a.Aa and a.BB, whose names have the same hash.");
  }

  @Test
  void longKeysGrowTheBuffer() {
    String text = "x".repeat(100_000);
    byte[] prefix = new byte[5_000];

    byte[] bytes = codec.encode(prefix, List.of(text, text));

    assertThat(codec.decode(ByteBuffer.wrap(bytes, prefix.length, bytes.length - prefix.length)))
        .isEqualTo(List.of(text, text));
  }

  @Test
  void keyThatContainsItselfIsRefused() {
    List<Object> ring = new ArrayList<>();
    ring.add(ring);

    assertThatThrownBy(() -> codec.encode(NO_PREFIX, ring))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("contains itself or is nested too deeply");
  }
}
