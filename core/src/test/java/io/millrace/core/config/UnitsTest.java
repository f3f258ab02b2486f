package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.MemorySize;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnitsTest {
  @Test
  void durationsAreParsedWithTheirUnit() {
    assertThat(Durations.parse("250")).isEqualTo(Duration.ofMillis(250));
    assertThat(Durations.parse("250ms")).isEqualTo(Duration.ofMillis(250));
    assertThat(Durations.parse(" 10 S ")).isEqualTo(Duration.ofSeconds(10));
    assertThat(Durations.parse("5 min")).isEqualTo(Duration.ofMinutes(5));
    assertThat(Durations.parse("2 hours")).isEqualTo(Duration.ofHours(2));
    assertThat(Durations.parse("3d")).isEqualTo(Duration.ofDays(3));
    assertThat(Durations.parse("7 µs")).isEqualTo(Duration.ofNanos(7000));
    assertThat(Durations.parse("7 ns")).isEqualTo(Duration.ofNanos(7));
  }

  @Test
  void otherTextIsNotADuration() {
    for (String text : List.of("", "s", "-1 s", "1.5 s", "ten seconds")) {
      assertThatThrownBy(() -> Durations.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a number and a unit, such as '10 s'");
    }
    assertThatThrownBy(() -> Durations.parse("3 weeks"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown unit 'weeks'");
  }

  @Test
  void durationsEndAtAHundredYears() {
    assertThat(Durations.parse("36500 d")).isEqualTo(Duration.ofDays(36_500));
    for (String text :
        List.of(
            "36501 d",
            "9223372036854775807 ns",
            "9223372036854775807 us",
            "9223372036854775807 ms",
            "9223372036854775807 s",
            "9223372036854775807 d",
            "9223372036854775808 ms",
            "9".repeat(100) + " h")) {
      assertThatThrownBy(() -> Durations.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a duration must be at most 36500 d");
    }
  }

  @Test
  void durationsArePrintedReadably() {
    assertThat(Durations.readable(Duration.ofMillis(350))).isEqualTo("350 ms");
    assertThat(Durations.readable(Duration.ofMillis(2400))).isEqualTo("2.4 s");
    assertThat(Durations.readable(Duration.ofSeconds(3))).isEqualTo("3 s");
    assertThat(Durations.readable(Duration.ofMinutes(5))).isEqualTo("5 min");
    assertThat(Durations.readable(Duration.ofSeconds(61))).isEqualTo("1 min 1 s");
  }

  @Test
  void sizesAreParsedInPowersOf1024() {
    assertThat(MemorySize.parse("17").bytes()).isEqualTo(17);
    assertThat(MemorySize.parse("1k").bytes()).isEqualTo(1024);
    assertThat(MemorySize.parse("64 MB")).isEqualTo(MemorySize.ofMebi(64));
    assertThat(MemorySize.parse("2g").bytes()).isEqualTo(2L << 30);
    assertThat(MemorySize.parse("1 tb").bytes()).isEqualTo(1L << 40);
  }

  @Test
  void otherTextIsNotASize() {
    for (String text : List.of("", "mb", "-1", "1.5g")) {
      assertThatThrownBy(() -> MemorySize.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a number and a unit, such as '64mb'");
    }
    assertThatThrownBy(() -> MemorySize.parse("3 pages"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown unit 'pages'");
    assertThatThrownBy(() -> new MemorySize(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sizesArePrintedReadablyAndCompared() {
    assertThat(new MemorySize(100)).hasToString("100 bytes");
    assertThat(MemorySize.ofMebi(64)).hasToString("64 mb");
    assertThat(MemorySize.ofMebi(1536)).hasToString("1.50 gb");
    assertThat(MemorySize.ofMebi(1)).isLessThan(MemorySize.ofMebi(2));
  }

  @Test
  void exactSizesRoundTrip() {
    assertThat(new MemorySize(0).exact()).isEqualTo("0b");
    assertThat(new MemorySize(1025).exact()).isEqualTo("1025b");
    assertThat(new MemorySize(32 << 10).exact()).isEqualTo("32kb");
    assertThat(MemorySize.ofMebi(256).exact()).isEqualTo("256mb");
    assertThat(MemorySize.ofMebi(1536).exact()).isEqualTo("1536mb");
    assertThat(MemorySize.ofMebi(2048).exact()).isEqualTo("2gb");
    assertThat(new MemorySize(1L << 50).exact()).isEqualTo("1024tb");
    assertThat(new MemorySize(1025).inWholeKibi()).isEqualTo(new MemorySize(2048));
    assertThat(new MemorySize(2048).inWholeKibi()).isEqualTo(new MemorySize(2048));
  }
}
