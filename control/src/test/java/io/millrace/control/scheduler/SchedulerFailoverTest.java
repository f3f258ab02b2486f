package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.api.sink.CommitFailedException;
import io.millrace.control.testing.Graphs;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.task.ClusterPartition;
import io.millrace.task.LostPartitionException;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.UnclaimedStateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Tests of failed tasks and lost workers and slots. */
class SchedulerFailoverTest {
  private static final Duration DELAY = Duration.ofMillis(100);

  @Test
  @Behaviour("E4: a failure restarts its region only, as the restart strategy allows")
  void failsAtTheFirstFailureWithoutARestartStrategy() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(2), 2);
    WorkerId worker = new WorkerId("one");

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    assertThat(world.status()).isEqualTo(JobStatus.FAILING);
    assertThat(world.cancelled).hasSize(3);
    world.obeyCancellations();

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FAILED);
    assertThat(world.result.orElseThrow().failure().orElseThrow().message()).isEqualTo("broken");
    JobDetails details = world.scheduler.details();
    assertThat(details.failures()).hasSize(1);
    assertThat(details.failures().get(0).task()).startsWith("source (");
  }

  @Test
  void restartsARegionWhenAllItsTasksHaveEndedAndTheDelayIsOver() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(2).restarts(3, DELAY), 2);
    WorkerId worker = new WorkerId("one");

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.restarts).extracting(SchedulerAction.Restart::delay).containsExactly(DELAY);
    world.restartDue();
    assertThat(world.deployments).as("old tasks still run").hasSize(1);
    world.obeyCancellations();

    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.deployments).hasSize(2);
    assertThat(world.deployments.get(1).number()).isGreaterThan(world.deployments.get(0).number());
    assertThat(world.subtasks()).extracting(SubtaskDetails::attempt).containsOnly(1);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
  }

  @Test
  void waitsForTheDelayWhenTheTasksEndFirst() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId worker = new WorkerId("one");

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    world.obeyCancellations();
    assertThat(world.deployments).hasSize(1);

    world.restartDue();
    assertThat(world.deployments).hasSize(2);
  }

  @Test
  @Behaviour("E4: a failure restarts its region only, as the restart strategy allows")
  void restartsOnlyTheRegionThatFailed() {
    FakeWorkers world = FakeWorkers.running(Graphs.lanes(3).restarts(1, DELAY), 3);
    WorkerId worker = new WorkerId("one");

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    world.obeyCancellations();
    world.restartDue();

    assertThat(world.subtasks())
        .extracting(SubtaskDetails::attempt)
        .containsExactly(1, 0, 0, 1, 0, 0);
    assertThat(world.deployments.get(1).tasks()).isEqualTo(2);
  }

  @Test
  @Behaviour("A2: a stop with a savepoint ends all regions of a job or none")
  void failureAfterTheSavepointOfAStopRestartsRegionsThatHaveFinished() {
    FakeWorkers world = FakeWorkers.running(Graphs.lanes(3).restarts(1, DELAY), 3);
    WorkerId worker = new WorkerId("one");
    List<ExecutionId> ended = finishLane(world, worker, 0);
    world.scheduler.tasksFinish();
    finishLane(world, worker, 1);

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    world.obeyCancellations();
    assertThat(world.restarts).hasSize(1);
    world.restartDue();

    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
    assertThat(world.subtasks())
        .as("the first lane had ended before")
        .extracting(SubtaskDetails::attempt)
        .containsExactly(0, 1, 1, 0, 1, 1);
    assertThat(world.tasks.get(worker)).hasSize(4).doesNotContainKeys(ended.get(0), ended.get(1));

    world.all(TaskState.RUNNING);
    world.all(TaskState.FINISHED);
    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  void failureAfterAStopThatFailedRestartsItsOwnRegionOnly() {
    FakeWorkers world = FakeWorkers.running(Graphs.lanes(3).restarts(2, DELAY), 3);
    WorkerId worker = new WorkerId("one");
    world.scheduler.tasksFinish();
    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    world.obeyCancellations();
    world.restartDue();
    world.all(TaskState.RUNNING);

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    world.obeyCancellations();
    world.restartDue();

    assertThat(world.subtasks())
        .extracting(SubtaskDetails::attempt)
        .containsExactlyInAnyOrder(2, 1, 1, 2, 1, 1);
  }

  /** Finishes the subtasks of one index, and returns them. */
  private static List<ExecutionId> finishLane(FakeWorkers world, WorkerId worker, int index) {
    List<ExecutionId> lane =
        world.tasks.get(worker).values().stream()
            .map(TaskInSlot::task)
            .filter(task -> task.subtask() == index)
            .map(TaskSpec::execution)
            .toList();
    lane.forEach(task -> world.update(worker, task, TaskState.FINISHED));
    return lane;
  }

  /**
   * The sink has lost its slot when the larger one of the source was idle, and the source needs
   * that one again.
   */
  @Test
  @Behaviour("E4: a failure restarts its region only, as the restart strategy allows")
  void restartGivesLargerSlotsBackToTheRequestsThatNeedThem() {
    ResourceProfile large = new ResourceProfile(2, 100, 0, 0, 0);
    ResourceProfile small = new ResourceProfile(1, 10, 0, 0, 0);
    FakeWorkers world =
        new FakeWorkers(
                new Graphs(1)
                    .vertex("source", 1, "sources")
                    .vertex("sink", 1, "sinks")
                    .edge(0, 1, Partitioning.HASH)
                    .resources("sources", large)
                    .resources("sinks", small)
                    .restarts(1, DELAY)
                    .build())
            .start();
    WorkerId first = world.worker("one", 0);
    world.offer(first, large, 1);
    WorkerId second = world.worker("two", 0);
    world.offer(second, small, 1);
    world.all(TaskState.RUNNING);
    world.update(first, world.anyTask(first), TaskState.FINISHED);
    assertThat(world.pool.idle()).isEqualTo(1);

    world.lose(second);
    world.restartDue();

    assertThat(world.pool.requirements())
        .containsExactlyInAnyOrder(new Requirement(large, 1), new Requirement(small, 1));
    WorkerId third = world.worker("three", 0);
    world.offer(third, small, 1);
    assertThat(world.deployments).hasSize(2);
    assertThat(world.tasks.get(first)).hasSize(1);
    assertThat(world.tasks.get(third)).hasSize(1);
  }

  /** Each attempt would look for the partition at the same location. */
  @Test
  @Behaviour("H2: a job that reads a lost cached partition fails and does not restart")
  void doesNotRestartForALostCachedResult() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1_000_000, DELAY), 1);
    WorkerId worker = new WorkerId("one");
    ClusterPartition partition =
        new ClusterPartition(new DataSetId(new Id128(1, 2)), new JobId(new Id128(3, 4)), 1, 0, 2);
    Failure failure =
        Failure.of(
            new LostPartitionException(partition, "host:1", "connection refused"), ErrorKind.BUG);

    world.fail(worker, world.anyTask(worker), failure);
    world.obeyCancellations();

    assertThat(world.restarts).isEmpty();
    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FAILED);
    Failure reported = world.result.orElseThrow().failure().orElseThrow();
    assertThat(reported.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(reported.message()).contains("partition 1/2", "host:1", "Execute the job again");
  }

  @Test
  @Behaviour("H4: a job whose output can never be committed fails and does not restart")
  void doesNotRestartWhereThatCannotHelp() {
    for (MillraceException hopeless :
        List.of(
            new CommitFailedException("The table is gone."),
            new UnclaimedStateException("map", List.of("last"), 7))) {
      FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1_000_000, DELAY), 1);
      WorkerId worker = new WorkerId("one");

      world.fail(worker, world.anyTask(worker), Failure.of(hopeless, ErrorKind.BUG));
      world.obeyCancellations();

      assertThat(world.restarts).isEmpty();
      assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FAILED);
      assertThat(world.result.orElseThrow().failure().orElseThrow().message())
          .isEqualTo(hopeless.getMessage());
    }
  }

  @Test
  @Behaviour("E4: a failure restarts its region only, as the restart strategy allows")
  void failsWhenTheRestartsAreUsedUp() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId worker = new WorkerId("one");

    for (int i = 0; i < 2; i++) {
      world.update(worker, world.anyTask(worker), TaskState.FAILED);
      world.obeyCancellations();
      world.restartDue();
    }

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FAILED);
  }

  @Test
  @Behaviour(
      "E4: the loss of a TaskManager costs one restart, in however many regions and steps it is"
          + " noticed")
  void countsTheLossOfAWorkerInSeveralRegionsOnce() {
    FakeWorkers world = new FakeWorkers(Graphs.lanes(4).restarts(1, DELAY).build()).start();
    WorkerId one = world.worker("one", 3);
    world.worker("two", 1);
    world.all(TaskState.RUNNING);

    world.lose(one);
    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.pool.required()).as("replacements are asked for").isEqualTo(4);
    assertThat(world.pool.waiting()).isEqualTo(3);
    world.restartDue();
    world.worker("three", 3);
    world.all(TaskState.RUNNING);

    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
    assertThat(world.result).isEmpty();
  }

  @Test
  @Behaviour(
      "E4: the loss of a TaskManager costs one restart, in however many regions and steps it is"
          + " noticed")
  void countsAFailureAndTheLossThatCausedItOnce() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).restarts(1, DELAY).build()).start();
    WorkerId one = world.worker("one", 1);
    WorkerId two = world.worker("two", 1);
    world.all(TaskState.RUNNING);

    // The neighbour detects the broken channel before the loss of the process is known.
    world.update(two, world.anyTask(two), TaskState.FAILED);
    world.obeyCancellationsOn(two);
    world.restartDue();
    assertThat(world.deployments).as("waits for what runs on the dead worker").hasSize(1);
    world.lose(one);
    world.worker("three", 1);

    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.deployments).hasSize(2);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "E4: the loss of a TaskManager costs one restart, in however many regions and steps it is"
          + " noticed")
  void countsAFailureAndTheLossOfItsWorkerInAnotherRegionOnce() {
    FakeWorkers world = new FakeWorkers(Graphs.lanes(2).restarts(1, DELAY).build()).start();
    WorkerId one = world.worker("one", 2);
    world.all(TaskState.RUNNING);

    // A dying process fails one of its tasks before the loss of the others is known.
    world.update(one, world.anyTask(one), TaskState.FAILED);
    assertThat(world.restarts).hasSize(1);
    world.lose(one);

    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
    world.restartDue();
    world.worker("two", 2);
    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.running()).isEqualTo(4);
  }

  @Test
  void keepsTheSlotsItStillHoldsWhenItRestarts() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(3).restarts(1, DELAY).build()).start();
    WorkerId one = world.worker("one", 1);
    world.worker("two", 2);
    world.all(TaskState.RUNNING);

    world.lose(one);
    world.obeyCancellations();
    world.restartDue();
    assertThat(world.deployments).hasSize(1);
    assertThat(world.pool.waiting()).isEqualTo(1);
    world.worker("three", 1);

    assertThat(world.deployments).hasSize(2);
    assertThat(world.pool.held()).isEqualTo(3);
  }

  @Test
  void usesAnIdleSlotInsteadOfALostOne() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(1).restarts(1, DELAY).build()).start();
    WorkerId one = world.worker("one", 1);
    world.worker("two", 1);
    world.all(TaskState.RUNNING);

    world.lose(one);
    world.restartDue();

    assertThat(world.deployments).hasSize(2);
    assertThat(world.pool.waiting()).isZero();
  }

  @Test
  void waitsAgainWhenASlotIsLostBeforeDeployment() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).build()).start();
    WorkerId one = world.worker("one", 1);
    world.lose(one);
    world.worker("two", 1);
    assertThat(world.deployments).isEmpty();
    world.worker("three", 1);

    assertThat(world.deployments).hasSize(1);
    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  @Behaviour("E3: the slots of a lost TaskManager fail their tasks")
  void failsAndCancelsTheTasksOfALostSlot() {
    FakeWorkers world = FakeWorkers.running(Graphs.lanes(2).restarts(1, DELAY), 2);
    WorkerId one = new WorkerId("one");

    world.perform(
        world.scheduler.slotLost(
            one, world.slots.get(one).get(0), Failure.of(ErrorKind.EXTERNAL, "x"), world.now()));

    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.cancelled).hasSize(2);
    assertThat(world.pool.waiting()).isEqualTo(1);
  }

  @Test
  void treatsATaskThatItsWorkerEndedAsFailed() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");

    world.update(one, world.anyTask(one), TaskState.CANCELED);

    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
  }

  @Test
  void failsMissingTasksOnlyIfTheyWereDeployedBeforeTheHeartbeat() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");

    long before = world.scheduler.nextHeartbeat();
    world.scheduler.deployed(world.deployments.get(0).shares().get(0));
    world.reconcile(one, before, List.of());
    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);

    long after = world.scheduler.nextHeartbeat();
    world.reconcile(one, after, List.of());
    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
  }

  @Test
  void removesSlotsThatAWorkerNoLongerReports() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    world.scheduler.deployed(world.deployments.get(0).shares().get(0));
    world.slots.get(one).clear();
    world.tasks.get(one).clear();
    world.offer(one, 1);

    world.reconcile(one, world.scheduler.nextHeartbeat(), List.of());
    assertThat(world.pool.held()).as("the slot it has now").isEqualTo(1);
    assertThat(world.pool.waiting()).isZero();
    world.restartDue();

    assertThat(world.deployments).hasSize(2);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
  }

  @Test
  void cancelsTasksInASlotThatItsWorkerNoLongerReports() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    world.slots.get(one).clear();

    world.reconcile(
        one, world.scheduler.nextHeartbeat(), new ArrayList<>(world.tasks.get(one).keySet()));

    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.cancelled).hasSize(2);
    assertThat(world.pool.waiting()).isEqualTo(1);
  }

  @Test
  void expectsASlotOnlyInReportsOfLaterHeartbeats() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    long before = world.scheduler.nextHeartbeat();
    List<AllocationId> reported = new ArrayList<>(world.slots.get(one));
    world.offer(one, 1);

    world.perform(
        world.scheduler.reconcile(
            one,
            before,
            new TaskReport(reported, new ArrayList<>(world.tasks.get(one).keySet()), List.of()),
            world.now()));

    assertThat(world.pool.held()).isEqualTo(2);
  }

  @Test
  void restartsWhenAWorkerRefusesItsShare() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).restarts(1, DELAY).build()).start();
    world.worker("one", 1);
    WorkerId two = world.worker("two", 1);

    world.perform(
        world.scheduler.deploymentFailed(
            world.deployments.get(0).shares().get(1),
            Failure.of(ErrorKind.EXTERNAL, "no such slot"),
            OptionalLong.empty(),
            world.now()));
    world.tasks.get(two).clear();
    world.obeyCancellations();
    world.restartDue();

    assertThat(world.deployments).hasSize(2);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
  }

  @Test
  @Behaviour("E4: tasks of an unacknowledged deployment are ended before they are deployed again")
  void waitsForTheReportOfAWorkerThatDidNotAnswerADeployment() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(1).restarts(1, DELAY).build()).start();
    WorkerId one = world.worker("one", 1);

    world.perform(
        world.scheduler.deploymentUnclear(
            world.deployments.get(0).shares().get(0),
            Failure.of(ErrorKind.EXTERNAL, "no answer"),
            world.now()));
    world.restartDue();
    assertThat(world.cancelled).hasSize(2);
    assertThat(world.deployments).as("the first one may be running").hasSize(1);
    world.tasks.get(one).clear();
    world.reconcile(one, world.scheduler.nextHeartbeat(), List.of());

    assertThat(world.deployments).hasSize(2);
    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
  }
}
