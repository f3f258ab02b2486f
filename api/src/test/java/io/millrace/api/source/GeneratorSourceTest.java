package io.millrace.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
