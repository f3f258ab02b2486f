package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskCounters;
import java.io.Serializable;
import java.util.LongSummaryStatistics;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many tasks on two cores. */
class FairnessTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  private static TestJobGraph endless(int parallelism) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source =
        program.vertex("s", parallelism, new OperatorSpec.Source(new Fixtures.Endless()));
    JobVertex sink = program.vertex("d", parallelism, Fixtures.discard());
    program.edge(source, sink, Partitioning.FORWARD);
    return program;
  }

  private LongSummaryStatistics produced(JobGraph... jobs) {
    return Stream.of(jobs)
        .flatMap(job -> host.counters(job.id()).stream())
        .mapToLong(TaskCounters::recordsOut)
        .filter(records -> records > 0)
        .summaryStatistics();
  }

  @Test
  @Behaviour("F5: each ready task gets the same share of the cores, independent of its job")
  void theOneTaskOfAJobGetsAsMuchAsEachOfTheHundredsOfAnother() {
    JobGraph large = endless(200).build();
    JobGraph small = endless(1).build();
    TestRun many = TestRun.start(large, host);
    TestRun one = TestRun.start(small, host);
    many.await("all produce", () -> produced(large).getCount() == 200);
    one.await("it produces", () -> produced(small).getCount() == 1);
    LongSummaryStatistics before = produced(large, small);
    // A task that has just begun lags behind what the others did before, and one may be held up by
    // the machine; with equal shares that is made up for.
    many.await(
        "all have done about the same",
        () -> {
          LongSummaryStatistics after = produced(large, small);
          long alone = produced(small).getMax();
          return after.getMin() > 20 * before.getAverage()
              && after.getMax() < 3 * after.getMin()
              && alone > after.getAverage() / 3
              && alone < 3 * after.getAverage();
        });
    many.cancel();
    one.cancel();
    many.awaitEnd();
    one.awaitEnd();
  }

  /** Counts how often it is asked for the records it does not have. */
  private record Asked(String counter) implements NonReplayableSource<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Object> open(SourceContext context) {
      return (out, limit) -> {
        Fixtures.shared(counter, AtomicLong.class).incrementAndGet();
        return PollingReader.Status.WAIT;
      };
    }
  }

  @Test
  @Behaviour("F5: a blocking function does not delay other jobs, and idle tasks do not run")
  void thousandsOfIdleTasksAreLeftAloneWhileAnotherJobWorks() {
    AtomicLong asked = new AtomicLong();
    TestJobGraph idle = new TestJobGraph();
    JobVertex source =
        idle.vertex("s", 1000, new OperatorSpec.Source(new Asked(Fixtures.share(asked))));
    JobVertex sink = idle.vertex("d", 1000, Fixtures.discard());
    idle.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    TestRun resting = TestRun.start(idle.build(), host).awaitRunning();
    resting.await("each was asked", () -> asked.get() >= 1000);

    TestJobGraph work = new TestJobGraph();
    JobVertex numbers = work.vertex("n", 2, Fixtures.numbers(500_000));
    JobVertex end = work.vertex("e", 2, Fixtures.discard());
    work.edge(numbers, end, Partitioning.HASH, (Serializable) Fixtures.itself());
    TestRun.start(work.build(), host).awaitEnd();

    assertThat(asked.get()).isEqualTo(1000);
    resting.cancel();
    resting.awaitEnd();
  }
}
