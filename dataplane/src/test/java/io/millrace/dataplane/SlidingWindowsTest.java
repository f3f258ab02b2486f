package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What windows that overlap cost, and what they ask of functions. */
class SlidingWindowsTest {
  private static final int RECORDS = 20_000;
  private static final int KEYS = 10;
  private static final int SIZE = 1000;

  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  /** How often a function was called. */
  private record Calls(AtomicLong adds, AtomicLong merges) {
    Calls() {
      this(new AtomicLong(), new AtomicLong());
    }
  }

  private static class Counted implements AggregateFunction<Long, long[], Long> {
    private static final long serialVersionUID = 1L;

    private final String calls;

    Counted(String calls) {
      this.calls = calls;
    }

    private Calls calls() {
      return Fixtures.shared(calls, Calls.class);
    }

    @Override
    public long[] create() {
      return new long[1];
    }

    @Override
    public long[] add(long[] count, Long record) {
      calls().adds.incrementAndGet();
      count[0]++;
      return count;
    }

    @Override
    public Long result(long[] count) {
      return count[0];
    }

    @Override
    public long[] merge(long[] left, long[] right) {
      calls().merges.incrementAndGet();
      left[0] += right[0];
      return left;
    }
  }

  /** One record a millisecond, keys in turn, windows of a second that begin every this much. */
  private TestRun start(AggregateFunction<Long, ?, Long> function, int slide) {
    return TestRun.start(
        ProgramGraphs.graph(
            env ->
                env.generate(index -> index, RECORDS)
                    .assignTimestampsAndWatermarks(
                        WatermarkStrategy.forMonotonousTimestamps(time -> time))
                    .keyBy(time -> time % KEYS)
                    .window(
                        SlidingEventTimeWindows.of(
                            Duration.ofMillis(SIZE), Duration.ofMillis(slide)))
                    .aggregate(
                        function,
                        (key, context, counts, out) ->
                            counts.forEach(
                                count ->
                                    out.emit(key + " " + context.window().start() + " " + count)))
                    .collectAs("out")),
        host);
  }

  private TestRun run(AggregateFunction<Long, ?, Long> function, int slide) {
    return start(function, slide).awaitEnd();
  }

  private static List<String> expected(int slide) {
    List<String> lines = new ArrayList<>();
    for (int start = -(SIZE - 1) / slide * slide; start < RECORDS; start += slide) {
      for (int key = 0; key < KEYS; key++) {
        long count = 0;
        for (int time = Math.max(0, start); time < Math.min(RECORDS, start + SIZE); time++) {
          count += time % KEYS == key ? 1 : 0;
        }
        if (count > 0) {
          lines.add(key + " " + start + " " + count);
        }
      }
    }
    return WindowsTest.sorted(lines);
  }

  @Test
  @Behaviour("H1: sliding windows with a mergeable function fold each record once")
  void aRecordIsFoldedOnceHoweverManyWindowsItIsIn() {
    Calls calls = new Calls();
    TestRun run = run(new Counted(Fixtures.share(calls)), 2);
    assertThat(run.failures()).isEmpty();
    assertThat(WindowsTest.sorted(run.collected())).isEqualTo(expected(2));
    assertThat(calls.adds).hasValue(RECORDS);
    // A window of 500 panes is made of at most 16 nodes, and the tree adds one merge and a copy to
    // each key of a pane.
    long windows = (RECORDS + SIZE) / 2;
    assertThat(calls.merges.get()).isLessThan(windows * KEYS * 18);
  }

  @Test
  @Behaviour("H1: sliding windows with a mergeable function fold each record once")
  void windowsEndBetweenTheBeginsOfOthersWhereTheSlideDoesNotDivideThem() {
    Calls calls = new Calls();
    TestRun run = run(new Counted(Fixtures.share(calls)), 300);
    assertThat(run.failures()).isEmpty();
    assertThat(WindowsTest.sorted(run.collected())).isEqualTo(expected(300));
    assertThat(calls.adds).hasValue(RECORDS);
  }

  /** The same without a merge of its own. */
  private static final class CannotMerge implements AggregateFunction<Long, long[], Long> {
    private static final long serialVersionUID = 1L;

    private final Counted counted;

    CannotMerge(Counted counted) {
      this.counted = counted;
    }

    @Override
    public long[] create() {
      return counted.create();
    }

    @Override
    public long[] add(long[] count, Long record) {
      return counted.add(count, record);
    }

    @Override
    public Long result(long[] count) {
      return counted.result(count);
    }
  }

  @Test
  @Behaviour("H1: sliding windows with a mergeable function fold each record once")
  void aFunctionThatCannotMergeGetsARecordForEveryWindowItIsIn() {
    Calls calls = new Calls();
    TestRun run = run(new CannotMerge(new Counted(Fixtures.share(calls))), 250);
    assertThat(run.failures()).isEmpty();
    assertThat(WindowsTest.sorted(run.collected())).isEqualTo(expected(250));
    assertThat(calls.adds).hasValue(4L * RECORDS);
    assertThat(calls.merges).hasValue(0);
  }

  private static final class MergesIntoTheRight extends Counted {
    private static final long serialVersionUID = 1L;

    MergesIntoTheRight(String calls) {
      super(calls);
    }

    @Override
    public long[] merge(long[] left, long[] right) {
      return super.merge(right, left);
    }
  }

  @Test
  @Behaviour("H1: sliding windows with a mergeable function fold each record once")
  void refusesAFunctionThatGivesAwayWhatOtherWindowsUse() {
    TestRun run = start(new MergesIntoTheRight(Fixtures.share(new Calls())), 250);
    run.await("the task of the windows fails", () -> !run.failures().isEmpty());
    run.cancel();
    run.awaitEnd();
    assertThat(run.failures())
        .extracting(Failure::message)
        .anyMatch(
            message ->
                message.contains("MergesIntoTheRight.merge returns its second accumulator")
                    && message.contains("'window aggregate'"));
  }
}
