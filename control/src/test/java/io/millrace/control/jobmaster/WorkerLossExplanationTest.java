package io.millrace.control.jobmaster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.ResourceManagerGateway.WorkerEnd;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLossExplained;
import io.millrace.protocol.reason.DriverReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a job says about a lost TaskManager whose driver knows why it ended. */
class WorkerLossExplanationTest extends WithJobMaster {
  private static final Duration DELAY = Duration.ofSeconds(1);
  private static final String CAUSE = "YARN has killed it (-104).";
  private static final WorkerEnd KILLED =
      new WorkerEnd(Optional.of(new DriverReason("yarn.container-ended", CAUSE)));

  private final CompletableFuture<WorkerEnd> end = new CompletableFuture<>();

  @Test
  @Behaviour(
      "E4: a job that fails with a lost worker ends with the reason of its driver, which may come"
          + " after the loss")
  void failedJobEndsWithTheReasonOfTheDriver() {
    run(Graphs.pair(1));
    FakeTaskManager one = loses("one");
    world.kill(one);
    assertThat(status()).as("the reason is awaited").isEqualTo(JobStatus.FAILING);
    end.complete(KILLED);
    JobTermination termination = ended();
    assertThat(termination.result().status()).isEqualTo(JobStatus.FAILED);
    assertThat(termination.result().failure().orElseThrow().message())
        .isEqualTo("TaskManager one is lost: " + CAUSE);
    assertThat(termination.details().failures())
        .extracting(failure -> failure.failure().message())
        .containsExactly("TaskManager one is lost: " + CAUSE);
    assertThat(world.env.journal().of(job))
        .anyMatch(entry -> entry.event() instanceof WorkerLossExplained);
  }

  @Test
  void failedJobEndsWithTheBrokenConnectionIfNobodyKnowsMore() {
    run(Graphs.pair(1));
    world.kill(loses("one"));
    end.complete(new WorkerEnd(Optional.empty()));
    assertThat(ended().result().failure().orElseThrow().message())
        .startsWith("TaskManager one is lost: ")
        .contains("closed its connections");
  }

  @Test
  void failedJobEndsIfTheResourceManagerDoesNotAnswer() {
    run(Graphs.pair(1));
    world.kill(loses("one"));
    world.env.advance(Duration.ofMinutes(1));
    assertThat(ended().result().status()).isEqualTo(JobStatus.FAILED);
  }

  @Test
  @Behaviour("E4: a restart does not wait for the reason of a lost worker, which is recorded later")
  void restartDoesNotWaitForTheReason() {
    run(Graphs.pair(1).restarts(1, DELAY));
    FakeTaskManager one = loses("one");
    FakeTaskManager two = world.taskManager("two");
    world.kill(one);
    assertThat(status()).isEqualTo(JobStatus.RESTARTING);
    join(two, 1);
    world.env.advance(DELAY);
    assertThat(two.deployments).hasSize(1);
    assertThat(details().failures().get(0).failure().message()).doesNotContain(CAUSE);
    end.complete(KILLED);
    world.env.settle();
    assertThat(details().failures())
        .extracting(failure -> failure.failure().message())
        .containsExactly("TaskManager one is lost: " + CAUSE);
  }

  /** Another worker may notice the broken data connection first. */
  @Test
  void lossThatFollowsABrokenConnectionIsNamed() {
    run(Graphs.pair(2));
    FakeTaskManager one = loses("one");
    FakeTaskManager two = worker("two", 1);
    one.obeysCancellations = false;
    gateway()
        .updateTasks(
            new TaskUpdates(
                two.worker(),
                List.of(
                    TaskUpdate.failed(
                        two.deployments.get(0).tasks().get(0).task().execution(),
                        Failure.of(
                            ErrorKind.EXTERNAL, "The connection to TaskManager one broke.")))));
    world.env.settle();
    assertThat(status()).isEqualTo(JobStatus.FAILING);
    world.kill(one);
    end.complete(KILLED);
    JobTermination termination = ended();
    assertThat(termination.result().failure().orElseThrow().message())
        .isEqualTo("The connection to TaskManager one broke. TaskManager one is lost: " + CAUSE);
    assertThat(termination.details().failures()).hasSize(2);
  }

  private FakeTaskManager loses(String name) {
    resourceManager.workerEnds.put(new WorkerId(name), end);
    return worker(name, 1);
  }
}
