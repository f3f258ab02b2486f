package io.millrace.api.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.FailureException;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a program learns of its job: waiting, results and states. */
class JobClientTest {
  private static final JobId JOB = new JobId(new Id128(0, 1));
  private static final String JOB_TEXT = "00000000000000000000000000000001";

  private final CompletableFuture<JobExecutionResult> result = new CompletableFuture<>();
  private final JobClient client = new Client();

  @Test
  void awaitReturnsTheResult() {
    JobExecutionResult finished = ended(JobStatus.FINISHED, Optional.empty());
    result.complete(finished);

    assertThat(client.await()).isSameAs(finished);
  }

  /** A failed job is a result; only a result that cannot be learned is an exception. */
  @Test
  void awaitReturnsAFailedJobAsAResult() {
    JobExecutionResult failed =
        ended(JobStatus.FAILED, Optional.of(Failure.of(ErrorKind.USER, "The map threw.")));
    result.complete(failed);

    assertThat(client.await()).isSameAs(failed);
  }

  @Test
  void awaitThrowsAnErrorOfMillraceAsItIs() {
    MillraceException lost = new MillraceException(ErrorKind.EXTERNAL, "No JobManager answers.");
    result.completeExceptionally(new CompletionException(lost));

    assertThatThrownBy(client::await).isSameAs(lost);
  }

  @Test
  void awaitNamesTheJobWhoseResultCannotBeLearned() {
    IOException broken = new IOException("connection reset");
    result.completeExceptionally(broken);

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(client::await)
        .withMessage(
            "The result of job " + JOB_TEXT + " cannot be learned: IOException: connection reset")
        .withCause(broken)
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL));
  }

  @Test
  void interruptedWaitLeavesTheJobAndTheInterruption() {
    Thread.currentThread().interrupt();
    try {
      assertThatExceptionOfType(MillraceException.class)
          .isThrownBy(client::await)
          .withMessage("Interrupted while waiting for job " + JOB_TEXT + ", which runs on.");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(result).isNotDone();
  }

  @Test
  void resultOfAFinishedJobIsReturnedAndOthersThrow() {
    JobExecutionResult finished = ended(JobStatus.FINISHED, Optional.empty());
    assertThat(finished.orThrow()).isSameAs(finished);

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> ended(JobStatus.CANCELED, Optional.empty()).orThrow())
        .withMessage("Job 'words' (" + JOB_TEXT + ") was cancelled before it finished.");

    Failure failure = Failure.of(ErrorKind.RESOURCE, "No slots came.");
    assertThatExceptionOfType(FailureException.class)
        .isThrownBy(() -> ended(JobStatus.FAILED, Optional.of(failure)).orThrow())
        .withMessage("No slots came.")
        .satisfies(e -> assertThat(e.failure()).isEqualTo(failure));
  }

  @Test
  void detachedJobThatHasNotEndedIsNoError() {
    JobExecutionResult submitted = ended(JobStatus.INITIALIZING, Optional.empty());

    assertThat(submitted.orThrow()).isSameAs(submitted);
  }

  private static final Map<JobStatus, Set<JobStatus>> TRANSITIONS = transitions();

  private static Map<JobStatus, Set<JobStatus>> transitions() {
    Map<JobStatus, Set<JobStatus>> table = new EnumMap<>(JobStatus.class);
    table.put(
        JobStatus.INITIALIZING,
        EnumSet.of(JobStatus.CREATED, JobStatus.FAILED, JobStatus.CANCELED, JobStatus.SUSPENDED));
    table.put(
        JobStatus.CREATED,
        EnumSet.of(
            JobStatus.RUNNING, JobStatus.CANCELLING, JobStatus.FAILING, JobStatus.SUSPENDED));
    table.put(
        JobStatus.RUNNING,
        EnumSet.of(
            JobStatus.RESTARTING,
            JobStatus.FAILING,
            JobStatus.CANCELLING,
            JobStatus.FINISHED,
            JobStatus.SUSPENDED));
    table.put(
        JobStatus.RESTARTING,
        EnumSet.of(
            JobStatus.RUNNING, JobStatus.FAILING, JobStatus.CANCELLING, JobStatus.SUSPENDED));
    table.put(JobStatus.FAILING, EnumSet.of(JobStatus.FAILED, JobStatus.SUSPENDED));
    table.put(JobStatus.CANCELLING, EnumSet.of(JobStatus.CANCELED, JobStatus.SUSPENDED));
    table.put(JobStatus.RECONCILING, EnumSet.of(JobStatus.RUNNING, JobStatus.SUSPENDED));
    for (JobStatus last :
        Set.of(JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED, JobStatus.SUSPENDED)) {
      table.put(last, EnumSet.noneOf(JobStatus.class));
    }
    return table;
  }

  @ParameterizedTest
  @EnumSource(JobStatus.class)
  @Behaviour("E5: a job makes only the transitions of its table")
  void jobMakesOnlyTheTransitionsOfItsTable(JobStatus from) {
    Set<JobStatus> next = EnumSet.noneOf(JobStatus.class);
    for (JobStatus to : JobStatus.values()) {
      if (from.canBecome(to)) {
        next.add(to);
      }
    }
    assertThat(next).isEqualTo(TRANSITIONS.get(from));
  }

  /** A suspended job goes on under another leader, so it has not ended for good. */
  @Test
  void jobHasEndedWhenItFinishedFailedOrWasCancelled() {
    assertThat(EnumSet.allOf(JobStatus.class))
        .filteredOn(JobStatus::isTerminal)
        .containsExactlyInAnyOrder(JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELED);
  }

  @Test
  void executorNeedsOnlyToExecute() {
    JobExecutor executor = program -> client;

    executor.release(Collections.emptyList());

    assertThat(executor.priority()).isZero();
    assertThat(executor.configuration().entries()).isEmpty();
  }

  private static JobExecutionResult ended(JobStatus status, Optional<Failure> failure) {
    return new JobExecutionResult(JOB, "words", status, Duration.ofSeconds(1), failure);
  }

  private final class Client implements JobClient {
    @Override
    public JobId id() {
      return JOB;
    }

    @Override
    public CompletableFuture<JobStatus> status() {
      return CompletableFuture.completedFuture(JobStatus.RUNNING);
    }

    @Override
    public CompletableFuture<Void> cancel() {
      throw new AssertionError("Nothing cancels the job here");
    }

    @Override
    public CompletableFuture<JobExecutionResult> result() {
      return result;
    }

    @Override
    public Iterator<Object> collected(String name) {
      return Collections.emptyIterator();
    }
  }
}
