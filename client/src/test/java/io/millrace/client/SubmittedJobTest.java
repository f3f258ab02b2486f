package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.text.ReasonText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class SubmittedJobTest {
  private static final RecordDecoder TEXT =
      (batch, classes, serializers) ->
          List.of((Object[]) new String(batch.toArray(), StandardCharsets.UTF_8).split(","));

  private final Script cluster = new Script();
  private final List<String> heard = new ArrayList<>();

  @Test
  void tellsChangesWhileItWaitsForTheEnd() {
    cluster.results.add(Optional.empty());
    cluster.states.add(state(JobStatus.CREATED, Optional.of("2 slots")));
    cluster.results.add(Optional.empty());
    cluster.states.add(state(JobStatus.CREATED, Optional.of("2 slots")));
    cluster.results.add(Optional.empty());
    cluster.states.add(state(JobStatus.RUNNING, Optional.empty()));
    cluster.results.add(Optional.of(ended(JobStatus.FINISHED, Optional.empty())));

    SubmittedJob job = submit();
    assertThat(job.ended()).isEmpty();
    JobExecutionResult result = job.await();

    assertThat(result.status()).isEqualTo(JobStatus.FINISHED);
    assertThat(job.ended()).contains(result);
    assertThat(heard).containsExactly("submitted", "CREATED 2 slots.", "RUNNING");
  }

  @Test
  void failureOfTheJobIsItsResult() {
    Failure failure = Failure.of(ErrorKind.USER, "boom");
    cluster.results.add(Optional.of(ended(JobStatus.FAILED, Optional.of(failure))));
    assertThatThrownBy(() -> submit().await().orThrow()).hasMessage("boom");
  }

  @Test
  void clusterThatCannotBeAskedIsAnError() {
    cluster.broken = Optional.of(new MillraceException(ErrorKind.EXTERNAL, "gone"));
    assertThatThrownBy(() -> submit().await())
        .isInstanceOf(MillraceException.class)
        .hasMessage("gone");
  }

  @Test
  @Behaviour("B4: a client waits for a cluster that comes back and gives up on one that does not")
  void goesOnWaitingForAClusterThatComesBack() {
    cluster.results.add(Optional.of(ended(JobStatus.FINISHED, Optional.empty())));
    cluster.patience = Duration.ofMinutes(1);
    cluster.outages = 3;

    assertThat(submit().await().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(heard).containsExactly("submitted", "script away for PT1M", "script back");
  }

  @Test
  @Behaviour("B4: a client waits for a cluster that comes back and gives up on one that does not")
  void givesUpOnAClusterThatStaysAway() {
    cluster.patience = Duration.ofMillis(1);
    cluster.outages = Integer.MAX_VALUE;
    assertThatThrownBy(() -> submit().await()).hasMessage("nobody there");
    assertThat(heard).containsExactly("submitted", "script away for PT0.001S");
  }

  @Test
  void doesNotWaitForAClusterThatCannotComeBack() {
    cluster.outages = 1;
    assertThatThrownBy(() -> submit().await()).hasMessage("nobody there");
    assertThat(heard).containsExactly("submitted");
  }

  @Test
  void readsCollectedRecordsPageByPageAndEachBatchOnce() {
    cluster.pages.add(new CollectedPage(true, 0, List.of(Bytes.utf8("a,b")), false));
    cluster.pages.add(new CollectedPage(true, 1, List.of(), false));
    // The answer to the request before may have been lost: batch 0 comes again.
    cluster.pages.add(
        new CollectedPage(true, 0, List.of(Bytes.utf8("a,b"), Bytes.utf8("c")), true));
    List<Object> records = new ArrayList<>();
    submit().collected("out").forEachRemaining(records::add);
    assertThat(records).containsExactly("a", "b", "c");
    assertThat(cluster.asked).containsExactly(0L, 1L, 1L);
  }

  @Test
  void collectingFromAnUnknownJobIsAnError() {
    cluster.pages.add(new CollectedPage(false, 0, List.of(), true));
    assertThatThrownBy(() -> submit().collected("out").hasNext())
        .hasMessageContaining("no longer knows job");
  }

  @Test
  void remembersThatTheProgramCancelledIt() {
    SubmittedJob job = submit();
    assertThat(job.cancelledByProgram()).isFalse();
    job.cancel().join();
    assertThat(job.cancelledByProgram()).isTrue();
  }

  private SubmittedJob submit() {
    JobListener listener =
        new JobListener() {
          @Override
          public void submitted(JobId job, String name) {
            heard.add("submitted");
          }

          @Override
          public void unreachable(String address, Duration patience) {
            heard.add(address + " away for " + patience);
          }

          @Override
          public void reachable(String address) {
            heard.add(address + " back");
          }

          @Override
          public void changed(JobOverview job) {
            heard.add(
                job.status()
                    + job.waitingFor().map(reason -> " " + ReasonText.of(reason)).orElse(""));
          }
        };
    ClusterJobExecutor executor = new ClusterJobExecutor(cluster, List.of(), () -> TEXT, listener);
    try {
      new ProgramContext(executor, Configuration.EMPTY)
          .during(
              () -> {
                StreamEnvironment env = StreamEnvironment.current();
                env.fromElements(1, 2).print();
                return env.executeAsync("job");
              });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return executor.jobs().get(0);
  }

  private static JobOverview state(JobStatus status, Optional<String> waitingFor) {
    return new JobOverview(
        JobId.parse("0".repeat(32)),
        "job",
        JobType.BATCH,
        status,
        1,
        -1,
        1,
        Map.of(),
        waitingFor.map(ErrorReason::new));
  }

  private static io.millrace.protocol.JobResult ended(JobStatus status, Optional<Failure> failure) {
    return new io.millrace.protocol.JobResult(JobId.parse("0".repeat(32)), status, 12, failure);
  }

  /** Answers what it was told to, in order. */
  private static final class Script implements ClusterClient {
    private final Deque<Optional<io.millrace.protocol.JobResult>> results = new ArrayDeque<>();
    private final Deque<JobOverview> states = new ArrayDeque<>();
    private final Deque<CollectedPage> pages = new ArrayDeque<>();
    private final List<Long> asked = new ArrayList<>();
    private Optional<MillraceException> broken = Optional.empty();
    private Duration patience = Duration.ZERO;
    private int outages;

    @Override
    public String address() {
      return "script";
    }

    @Override
    public void submit(JobGraph graph, List<Path> jars) {}

    @Override
    public List<JobOverview> jobs() {
      return List.copyOf(states);
    }

    @Override
    public Optional<JobOverview> job(JobId job) {
      return Optional.of(states.remove());
    }

    @Override
    public Optional<io.millrace.protocol.JobResult> awaitResult(JobId job, Duration patience) {
      if (broken.isPresent()) {
        throw broken.get();
      }
      if (outages > 0) {
        outages--;
        throw new UnreachableException("nobody there", null);
      }
      return results.remove();
    }

    @Override
    public CancelOutcome cancel(JobId job) {
      return CancelOutcome.ACCEPTED;
    }

    @Override
    public CollectedPage collected(JobId job, String name, long next, Duration patience) {
      asked.add(next);
      return pages.remove();
    }

    @Override
    public Duration reconnectTimeout() {
      return patience;
    }

    @Override
    public void close() {}
  }
}
