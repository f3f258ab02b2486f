package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.client.testing.FakeClusterClient;
import io.millrace.client.testing.TestJobs;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.text.ReasonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class SubmittedJobTest {
  private static final RecordDecoder TEXT =
      (batch, classes, serializers) ->
          List.of((Object[]) new String(batch.toArray(), StandardCharsets.UTF_8).split(","));

  private final FakeClusterClient cluster = new FakeClusterClient();
  private final List<String> events = new ArrayList<>();
  private final AtomicInteger openedDecoders = new AtomicInteger();

  @Test
  void reportsChangesWhileItWaitsForTheEnd() {
    cluster
        .thenRuns(FakeClusterClient.waiting(JobStatus.CREATED, "2 slots"))
        .thenRuns(FakeClusterClient.waiting(JobStatus.CREATED, "2 slots"))
        .thenRuns(FakeClusterClient.waiting(JobStatus.CREATED, "1 slot"))
        .thenRuns(FakeClusterClient.overview(JobStatus.RUNNING))
        .thenEnds(JobStatus.FINISHED);

    SubmittedJob job = submit();
    assertThat(job.ended()).isEmpty();
    JobExecutionResult result = job.await();

    assertThat(result.status()).isEqualTo(JobStatus.FINISHED);
    assertThat(result.runtime()).isEqualTo(FakeClusterClient.RUNTIME);
    assertThat(job.ended()).contains(result);
    assertThat(events)
        .containsExactly("submitted", "CREATED 2 slots.", "CREATED 1 slot.", "RUNNING");
  }

  @Test
  void doesNotReportTheStateOfAJobThatHasJustEnded() {
    cluster.thenRuns(FakeClusterClient.overview(JobStatus.FINISHED)).thenEnds(JobStatus.FINISHED);
    submit().await();
    assertThat(events).containsExactly("submitted");
  }

  @Test
  void failureOfTheJobIsItsResult() {
    cluster.thenFails(Failure.of(ErrorKind.USER, "boom"));
    assertThatThrownBy(() -> submit().await().orThrow()).hasMessage("boom");
  }

  @Test
  void errorOfTheClusterIsAnErrorOfTheWait() {
    cluster.thenThrows(new MillraceException(ErrorKind.EXTERNAL, "gone"));
    assertThatThrownBy(() -> submit().await())
        .isInstanceOf(MillraceException.class)
        .hasMessage("gone");
  }

  @Test
  void resultIsRequestedOnceForAllCallers() {
    cluster.thenEnds(JobStatus.CANCELED);
    SubmittedJob job = submit();
    assertThat(job.result().join()).isEqualTo(job.await());
    // A second request would be answered as FINISHED.
    assertThat(job.result().join().status()).isEqualTo(JobStatus.CANCELED);
  }

  @Test
  void callerThatCompletesItsFutureDoesNotChangeTheResultOfOthers() {
    cluster.runJobs();
    SubmittedJob job = submit();
    job.result().cancel(true);
    cluster.end(JobStatus.FINISHED);
    assertThat(job.result().join().status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  @Behaviour("B4: a client waits for a cluster that comes back and gives up on one that does not")
  void continuesToWaitForAClusterThatAnswersAgain() {
    cluster.unreachable(3, Duration.ofMinutes(1));
    assertThat(submit().await().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(events).containsExactly("submitted", "fake:8081 away for PT1M", "fake:8081 back");
  }

  @Test
  @Behaviour("B4: a client waits for a cluster that comes back and gives up on one that does not")
  void givesUpOnAClusterThatStaysAway() {
    cluster.unreachable(Integer.MAX_VALUE, Duration.ofMillis(1));
    assertThatThrownBy(() -> submit().await()).hasMessage("No JobManager answers.");
    assertThat(events).containsExactly("submitted", "fake:8081 away for PT0.001S");
  }

  @Test
  void doesNotWaitForAClusterThatCannotAnswerAgain() {
    cluster.unreachable(1, Duration.ZERO);
    assertThatThrownBy(() -> submit().await()).hasMessage("No JobManager answers.");
    assertThat(events).containsExactly("submitted");
  }

  @Test
  void reportsEachOutageOfItsOwn() {
    cluster.unreachable(1, Duration.ofMinutes(1)).thenRuns(running()).thenEnds(JobStatus.FINISHED);
    SubmittedJob job = submit();
    job.await();
    assertThat(events)
        .containsExactly("submitted", "fake:8081 away for PT1M", "fake:8081 back", "RUNNING");
  }

  @Test
  void readsCollectedRecordsPageByPageAndEachBatchOnce() {
    cluster.thenCollects(new CollectedPage(true, 0, List.of(Bytes.utf8("a,b")), false));
    cluster.thenCollects(new CollectedPage(true, 1, List.of(), false));
    // The answer to the request before may have been lost: batch 0 comes again.
    cluster.thenCollects(
        new CollectedPage(true, 0, List.of(Bytes.utf8("a,b"), Bytes.utf8("c")), true));
    List<Object> records = new ArrayList<>();
    submit().collected("out").forEachRemaining(records::add);
    assertThat(records).containsExactly("a", "b", "c");
    assertThat(cluster.requestedBatches()).containsExactly(0L, 1L, 1L);
    assertThat(openedDecoders).hasValue(1);
  }

  @Test
  void opensNoDecoderForAJobThatCollectsNothing() {
    Iterator<Object> records = submit().collected("out");
    assertThat(records.hasNext()).isFalse();
    assertThatThrownBy(records::next)
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("No more records were collected under the name 'out'");
    assertThat(openedDecoders).hasValue(0);
  }

  @Test
  void nextFetchesRecordsWithoutACallOfHasNext() {
    cluster.thenCollects(new CollectedPage(true, 0, List.of(Bytes.utf8("a")), true));
    assertThat(submit().collected("out").next()).isEqualTo("a");
  }

  @Test
  void collectingFromAnUnknownJobIsAnError() {
    cluster.thenCollects(new CollectedPage(false, 0, List.of(), true));
    assertThatThrownBy(() -> submit().collected("out").hasNext())
        .hasMessageContaining("no longer knows job")
        .hasMessageContaining("jobstore.max-capacity");
  }

  @Test
  void remembersThatTheProgramCancelledIt() {
    SubmittedJob job = submit();
    assertThat(job.cancelledByProgram()).isFalse();
    job.cancel().join();
    assertThat(job.cancelledByProgram()).isTrue();
    assertThat(cluster.cancelled()).containsExactly(job.id());
  }

  @Test
  void cancellingAnEndedJobIsNoError() {
    cluster.answerCancel(CancelOutcome.ENDED);
    assertThat(submit().cancel()).succeedsWithin(Duration.ofMinutes(1));
  }

  @Test
  void cancellingAnUnknownJobIsAnError() {
    cluster.answerCancel(CancelOutcome.NOT_FOUND);
    assertThatThrownBy(() -> submit().cancel().join())
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("no longer knows job");
  }

  @Test
  void statusIsThatOfTheCluster() {
    cluster.runJobs();
    SubmittedJob job = submit();
    assertThat(job.status().join()).isEqualTo(JobStatus.RUNNING);
    cluster.end(JobStatus.FAILED);
    assertThat(job.status().join()).isEqualTo(JobStatus.FAILED);
  }

  @Test
  void statusOfAJobThatEndedUnderAnEarlierLeaderIsThatOfItsResult() {
    cluster.thenEnds(JobStatus.CANCELED);
    SubmittedJob job = submit();
    cluster.forgetJobs();
    assertThat(job.status().join()).isEqualTo(JobStatus.CANCELED);
  }

  private static JobOverview running() {
    return FakeClusterClient.overview(JobStatus.RUNNING);
  }

  private SubmittedJob submit() {
    JobListener listener =
        new JobListener() {
          @Override
          public void submitted(JobId job, String name) {
            events.add("submitted");
          }

          @Override
          public void unreachable(String address, Duration timeout) {
            events.add(address + " away for " + timeout);
          }

          @Override
          public void reachable(String address) {
            events.add(address + " back");
          }

          @Override
          public void changed(JobOverview job) {
            events.add(
                job.status()
                    + job.waitingFor().map(reason -> " " + ReasonText.of(reason)).orElse(""));
          }
        };
    ClusterJobExecutor executor =
        new ClusterJobExecutor(cluster, List.of(), this::openDecoder, listener);
    TestJobs.submit(executor, "job");
    return executor.jobs().get(0);
  }

  private RecordDecoder openDecoder() {
    openedDecoders.incrementAndGet();
    return TEXT;
  }
}
