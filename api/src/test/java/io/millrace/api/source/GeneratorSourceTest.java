package io.millrace.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GeneratorSourceTest {
  private final AtomicLong now = new AtomicLong(-5);

  @Test
  @Behaviour("H1: parallel sources divide their input without gaps and overlaps")
  void instancesShareTheIndexesOfABoundedGenerator() throws Exception {
    GeneratorSource<Long> source = GeneratorSource.of(index -> index).count(10);
    assertThat(source.isBounded()).isTrue();
    List<Long> all = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      all.addAll(TestContext.drain(source, subtask, 3, 2));
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(LongStream.range(0, 10).boxed().toList());
  }

  @Test
  void anInstanceWithoutAShareEndsAtOnce() throws Exception {
    assertThat(TestContext.drain(GeneratorSource.of(index -> index).count(2), 7, 8, 10)).isEmpty();
  }

  @Test
  void withoutACountItIsUnbounded() throws Exception {
    GeneratorSource<Long> source = GeneratorSource.of(index -> index);
    assertThat(source.isBounded()).isFalse();
    List<Long> records = new ArrayList<>();
    SourceReader<Long, ?> reader = new TestContext(0, 1).start(source);
    assertThat(reader.poll(records::add, 1000)).isEqualTo(PollingReader.Status.MORE);
    assertThat(records).hasSize(1000);
  }

  private SourceReader<Long, ?> started(GeneratorSource<Long> source, TestContext context)
      throws Exception {
    SourceReader<Long, GeneratorSource.Sequence> reader = source.createReader(context, now::get);
    reader.addSplits(source.initialSplits(context));
    return reader;
  }

  @Test
  @Behaviour("H4: a source goes on from the positions of a checkpoint, at any parallelism")
  void goesOnFromTheSnapshotAtAnotherParallelism() throws Exception {
    GeneratorSource<Long> source = GeneratorSource.<Long>of(index -> index).count(1000);
    List<Long> records = new ArrayList<>();
    List<GeneratorSource.Sequence> splits = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      SourceReader<Long, GeneratorSource.Sequence> reader =
          new TestContext(subtask, 3).start(source);
      reader.poll(records::add, 50 + subtask);
      splits.addAll(reader.snapshot(1));
    }
    for (int subtask = 0; subtask < 2; subtask++) {
      TestContext context = new TestContext(subtask, 2);
      SourceReader<Long, GeneratorSource.Sequence> reader = source.createReader(context);
      reader.addSplits(subtask == 0 ? splits.subList(0, 2) : splits.subList(2, 3));
      while (reader.poll(records::add, 7) == PollingReader.Status.MORE) {
        assertThat(records.size()).isLessThanOrEqualTo(1000);
      }
      assertThat(reader.snapshot(2)).isEmpty();
    }
    assertThat(records).hasSize(1000).doesNotHaveDuplicates();
  }

  @Test
  void theRateIsKeptOverTime() throws Exception {
    TestContext context = new TestContext(1, 2);
    SourceReader<Long, ?> reader =
        started(GeneratorSource.of(index -> index).perSecond(200), context);
    List<Long> records = new ArrayList<>();
    for (int millis = 0; millis < 2000; millis++) {
      while (reader.poll(records::add, 16) == PollingReader.Status.MORE) {
        assertThat(records.size()).isLessThan(1000);
      }
      now.addAndGet(1_000_000);
    }
    assertThat(records).hasSizeBetween(199, 201);
    assertThat(records).startsWith(1L, 3L, 5L);
  }

  @Test
  void itAsksToBeWokenWhenTheNextRecordIsDue() throws Exception {
    TestContext context = new TestContext(0, 1);
    SourceReader<Long, ?> reader =
        started(GeneratorSource.of(index -> index).perSecond(4), context);
    List<Long> records = new ArrayList<>();
    assertThat(reader.poll(records::add, 10)).isEqualTo(PollingReader.Status.WAIT);
    assertThat(records).containsExactly(0L);
    assertThat(context.delays).containsExactly(Duration.ofMillis(250));
    now.addAndGet(250_000_000);
    assertThat(reader.poll(records::add, 10)).isEqualTo(PollingReader.Status.WAIT);
    assertThat(records).containsExactly(0L, 1L);
  }

  @Test
  void aLongStallIsNotMadeUpForInOneBurst() throws Exception {
    SourceReader<Long, ?> reader =
        started(GeneratorSource.of(index -> index).perSecond(100), new TestContext(0, 1));
    List<Long> records = new ArrayList<>();
    now.addAndGet(Duration.ofHours(1).toNanos());
    reader.poll(records::add, 100_000);
    assertThat(records).hasSizeBetween(100, 102);
  }

  @Test
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> GeneratorSource.of(index -> index).count(-1))
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> GeneratorSource.of(index -> index).perSecond(0))
        .hasMessageContaining("0.0");
    assertThatThrownBy(() -> GeneratorSource.of(index -> index).perSecond(Double.NaN))
        .hasMessageContaining("NaN");
  }

  /** How many records there are at the end of each second. */
  private List<Integer> perSecond(RatePattern pattern, int seconds) throws Exception {
    TestContext context = new TestContext(1, 2);
    now.set(7);
    SourceReader<Long, ?> reader =
        started(GeneratorSource.of(index -> index).rate(pattern), context);
    List<Long> records = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    for (int second = 0; second < seconds; second++) {
      int before = records.size();
      for (int step = 0; step < 20; step++) {
        while (reader.poll(records::add, 30) == SourceReader.Status.MORE) {
          // Until nothing is due.
        }
        now.addAndGet(50_000_000);
      }
      counts.add(records.size() - before);
    }
    return counts;
  }

  @Test
  void theRateFollowsItsPattern() throws Exception {
    // One of two instances, which emits its first record at once and others when they are due.
    assertThat(perSecond(RatePattern.ramp(0, 400, Duration.ofSeconds(4)), 6))
        .satisfies(
            counts -> {
              List<Integer> expected = List.of(25, 75, 125, 175, 200, 200);
              for (int i = 0; i < counts.size(); i++) {
                assertThat(counts.get(i)).as("second %s", i).isCloseTo(expected.get(i), within(12));
              }
            });
    assertThat(
            perSecond(RatePattern.bursts(0, 200, Duration.ofSeconds(3), Duration.ofSeconds(1)), 6))
        .satisfies(
            counts -> {
              assertThat(counts.get(0)).isCloseTo(100, within(8));
              assertThat(counts.get(2)).isZero();
              assertThat(counts.get(3)).isCloseTo(100, within(8));
              assertThat(counts.get(5)).isZero();
            });
    List<Integer> wave = perSecond(RatePattern.wave(0, 200, Duration.ofSeconds(4)), 4);
    assertThat(wave.get(1)).isGreaterThan(3 * wave.get(0));
    assertThat(wave.stream().mapToInt(count -> count).sum()).isCloseTo(200, within(12));
  }

  @Test
  void patternsThatAreNoRatesAreRefused() {
    assertThatThrownBy(() -> RatePattern.ramp(-1, 5, Duration.ofSeconds(1)))
        .hasMessageContaining("0 records per second or more, not -1.0");
    assertThatThrownBy(() -> RatePattern.bursts(1, 5, Duration.ofSeconds(1), Duration.ofSeconds(1)))
        .hasMessageContaining("never ends");
    assertThatThrownBy(() -> perSecond(elapsed -> Double.NaN, 1))
        .hasMessageContaining("returned NaN");
  }
}
