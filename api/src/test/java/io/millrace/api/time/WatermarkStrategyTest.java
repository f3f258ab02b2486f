package io.millrace.api.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatermarkStrategyTest {
  private final List<Long> watermarks = new ArrayList<>();

  private final WatermarkOutput output =
      new WatermarkOutput() {
        @Override
        public void emitWatermark(long time) {
          watermarks.add(time);
        }

        @Override
        public void markIdle() {
          throw new AssertionError("No strategy of the engine marks idleness itself");
        }
      };

  @Test
  void monotonousTimestampsAreFollowedOneMillisecondBehind() throws Exception {
    emitAfter(WatermarkStrategy.forMonotonousTimestamps(), 5, 7, 7);
    assertThat(watermarks).containsExactly(4L, 6L, 6L);
  }

  @Test
  void earlierTimestampDoesNotLowerTheWatermark() throws Exception {
    emitAfter(WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(3)), 10, 2, 11);
    assertThat(watermarks).containsExactly(6L, 6L, 7L);
  }

  @Test
  void withoutARecordThereIsNoWatermark() throws Exception {
    generator(WatermarkStrategy.forMonotonousTimestamps()).onPeriodicEmit(output);
    assertThat(watermarks).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1_000, Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void noRecordWithinTheBoundIsLate(long disorder) throws Exception {
    Random random = new Random(disorder);
    WatermarkGenerator<? super Object> generator =
        generator(WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(disorder)));
    long highest = Long.MIN_VALUE;
    for (int i = 0; i < 200; i++) {
      long timestamp = i % 50 == 0 ? random.nextLong() : random.nextInt(10_000);
      highest = Math.max(highest, timestamp);
      generator.onEvent("record", timestamp, output);
      generator.onPeriodicEmit(output);
    }
    long lowestInTime = highest < Long.MIN_VALUE + disorder ? Long.MIN_VALUE : highest - disorder;
    assertThat(watermarks).isSorted().allMatch(watermark -> watermark < lowestInTime);
  }

  @Test
  void timestampAtTheBeginningOfTimeGivesNoWatermark() throws Exception {
    emitAfter(WatermarkStrategy.forMonotonousTimestamps(), Long.MIN_VALUE);
    assertThat(watermarks).isEmpty();
  }

  @Test
  void noWatermarksEmitsNone() throws Exception {
    emitAfter(WatermarkStrategy.noWatermarks(), 1, 2, Long.MAX_VALUE);
    assertThat(watermarks).isEmpty();
  }

  @Test
  void eachInstanceHasItsOwnGenerator() throws Exception {
    WatermarkStrategy<Object> strategy = WatermarkStrategy.forMonotonousTimestamps();
    generator(strategy).onEvent("record", 100, output);
    generator(strategy).onPeriodicEmit(output);
    assertThat(watermarks).isEmpty();
  }

  @Test
  void timestampsComeFromTheAssignerElseFromBefore() throws Exception {
    WatermarkStrategy<String> plain = WatermarkStrategy.forMonotonousTimestamps();
    assertThat(plain.assigner().timestamp("1234", 7)).isEqualTo(7);
    WatermarkStrategy<String> assigned =
        plain.withTimestampAssigner((text, before) -> text.length() + before);
    assertThat(assigned.assigner().timestamp("1234", 7)).isEqualTo(11);
    WatermarkStrategy<String> extracted = WatermarkStrategy.forMonotonousTimestamps(String::length);
    assertThat(extracted.assigner().timestamp("1234", 7)).isEqualTo(4);
  }

  @Test
  void laterSettingsKeepEarlierOnes() throws Exception {
    Duration minute = Duration.ofMinutes(1);
    WatermarkStrategy<String> strategy =
        WatermarkStrategy.<String>forMonotonousTimestamps()
            .withIdleness(minute)
            .withTimestampAssigner((text, before) -> text.length());
    assertThat(strategy.idleness()).isEqualTo(minute);
    assertThat(strategy.withIdleness(minute.plusMillis(1)).assigner().timestamp("12", 0))
        .isEqualTo(2);
    assertThat(WatermarkStrategy.noWatermarks().idleness()).isZero();
  }

  @Test
  void onlyAGeneratorOfTheProgramMayEmitWithoutRecords() {
    assertThat(WatermarkStrategy.forMonotonousTimestamps().followsRecords()).isTrue();
    assertThat(WatermarkStrategy.noWatermarks().followsRecords()).isTrue();
    assertThat(WatermarkStrategy.forGenerator(() -> (record, time, out) -> {}).followsRecords())
        .isFalse();
  }

  @Test
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void refusesNulls() {
    assertThatNullPointerException()
        .isThrownBy(() -> WatermarkStrategy.forBoundedOutOfOrderness(null))
        .withMessage("disorder");
    assertThatNullPointerException()
        .isThrownBy(() -> WatermarkStrategy.forMonotonousTimestamps(null))
        .withMessage("timestamp");
    assertThatNullPointerException()
        .isThrownBy(() -> WatermarkStrategy.forGenerator(null))
        .withMessage("supplier");
    assertThatNullPointerException()
        .isThrownBy(() -> WatermarkStrategy.noWatermarks().withTimestampAssigner(null))
        .withMessage("assigner");
  }

  private void emitAfter(WatermarkStrategy<Object> strategy, long... timestamps) throws Exception {
    WatermarkGenerator<? super Object> generator = generator(strategy);
    for (long timestamp : timestamps) {
      generator.onEvent("record", timestamp, output);
      generator.onPeriodicEmit(output);
    }
  }

  private static WatermarkGenerator<? super Object> generator(WatermarkStrategy<Object> strategy)
      throws Exception {
    return strategy.generator();
  }
}
