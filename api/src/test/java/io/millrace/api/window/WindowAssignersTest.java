package io.millrace.api.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WindowAssignersTest {
  private static final Duration SIZE = Duration.ofSeconds(10);
  private static final Duration SLIDE = Duration.ofSeconds(4);
  private static final Duration OFFSET = Duration.ofMillis(-300);

  static Stream<Arguments> assigners() {
    return Stream.of(
        Arguments.of(TumblingEventTimeWindows.of(SIZE), aligned(10_000, 10_000, 0, true)),
        Arguments.of(
            TumblingEventTimeWindows.of(SIZE, OFFSET), aligned(10_000, 10_000, -300, true)),
        Arguments.of(TumblingProcessingTimeWindows.of(SIZE), aligned(10_000, 10_000, 0, false)),
        Arguments.of(
            TumblingProcessingTimeWindows.of(SIZE, OFFSET), aligned(10_000, 10_000, -300, false)),
        Arguments.of(SlidingEventTimeWindows.of(SIZE, SLIDE), aligned(10_000, 4_000, 0, true)),
        Arguments.of(
            SlidingEventTimeWindows.of(SIZE, SLIDE, OFFSET), aligned(10_000, 4_000, -300, true)),
        Arguments.of(
            SlidingProcessingTimeWindows.of(SIZE, SLIDE), aligned(10_000, 4_000, 0, false)),
        Arguments.of(
            SlidingProcessingTimeWindows.of(SIZE, SLIDE, OFFSET),
            aligned(10_000, 4_000, -300, false)),
        Arguments.of(
            EventTimeSessionWindows.withGap(SLIDE), new WindowAssigner.Session(4_000, true)),
        Arguments.of(
            ProcessingTimeSessionWindows.withGap(SLIDE), new WindowAssigner.Session(4_000, false)));
  }

  private static WindowAssigner aligned(long size, long slide, long offset, boolean eventTime) {
    return new WindowAssigner.Aligned(size, slide, offset, eventTime);
  }

  @ParameterizedTest
  @MethodSource("assigners")
  void isMeasuredInMillisecondsOfItsTime(WindowAssigner assigner, WindowAssigner expected) {
    assertThat(assigner).isEqualTo(expected);
  }

  @Test
  void lastWindowOfATimeBeginsWithinOneSlideAtAMultipleOfItPlusTheOffset() {
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      long slide = random.nextLong(1, 100_000);
      long offset = random.nextLong(-slide + 1, slide);
      WindowAssigner.Aligned windows =
          new WindowAssigner.Aligned(random.nextLong(1, 100_000), slide, offset, true);
      long time = random.nextLong(-1L << 40, 1L << 40);

      long start = windows.lastStart(time);

      assertThat(start).as("%s at %d", windows, time).isBetween(time - slide + 1, time);
      assertThat(Math.floorMod(start - offset, slide)).as("%s at %d", windows, time).isZero();
    }
  }

  static Stream<Function<Duration, WindowAssigner>> ofSizes() {
    return Stream.of(
        TumblingEventTimeWindows::of,
        TumblingProcessingTimeWindows::of,
        size -> SlidingEventTimeWindows.of(size, SLIDE),
        size -> SlidingProcessingTimeWindows.of(size, SLIDE),
        slide -> SlidingEventTimeWindows.of(SIZE, slide),
        slide -> SlidingProcessingTimeWindows.of(SIZE, slide),
        EventTimeSessionWindows::withGap,
        ProcessingTimeSessionWindows::withGap);
  }

  @ParameterizedTest
  @MethodSource("ofSizes")
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void refusesLessThanAMillisecond(Function<Duration, WindowAssigner> assigner) {
    for (Duration size :
        new Duration[] {Duration.ZERO, Duration.ofNanos(999_999), Duration.ofMillis(-1)}) {
      assertThatThrownBy(() -> assigner.apply(size))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContaining("1 ms or more");
    }
    assertThat(assigner.apply(Duration.ofMillis(1))).isNotNull();
  }

  @ParameterizedTest
  @CsvSource({"10, 10", "10, -10", "10, 11"})
  void offsetIsBelowTheSlide(long slide, long offset) {
    assertThatThrownBy(() -> aligned(slide, slide, offset, true))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("offset " + offset + " ms");
  }

  @Test
  void windowHasAtLeastOneMillisecondAndEndsBeforeItsEnd() {
    assertThat(new TimeWindow(5, 6).maxTimestamp()).isEqualTo(5);
    assertThatIllegalArgumentException().isThrownBy(() -> new TimeWindow(5, 5));
    assertThatIllegalArgumentException().isThrownBy(() -> new TimeWindow(5, 4));
  }
}
