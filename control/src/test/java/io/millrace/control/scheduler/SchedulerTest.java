package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.JobStatus;
import io.millrace.control.testing.Graphs;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.Partitioning;
import io.millrace.graph.task.Placement;
import io.millrace.graph.task.TaskState;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  private static final Duration DELAY = Duration.ofMillis(100);

  @Test
  void asksForAsManySlotsAsTheLargestVertexOfEachGroup() {
    FakeWorkers world =
        new FakeWorkers(
                new Graphs(1)
                    .vertex("a", 2)
                    .vertex("b", 5)
                    .vertex("c", 3, "other")
                    .edge(0, 1, Partitioning.REBALANCE)
                    .edge(1, 2, Partitioning.HASH)
                    .build())
            .start();

    assertThat(world.pool.required()).isEqualTo(8);
    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void deploysARegionOnlyWhenItHasAllItsSlots() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(3).build()).start();

    world.worker("one", 2);
    assertThat(world.deployments).isEmpty();

    world.worker("two", 1);
    assertThat(world.deployments).hasSize(1);
    Action.Deploy deploy = world.deployments.get(0);
    assertThat(deploy.shares()).hasSize(2);
    assertThat(deploy.tasks()).isEqualTo(6);
    assertThat(deploy.number()).isGreaterThan(100);
  }

  @Test
  void putsOneSubtaskOfEachVertexIntoASlotAndSaysWhereAllOfThemAre() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).build()).start();
    world.worker("one", 1);
    world.worker("two", 1);

    Action.Deploy deploy = world.deployments.get(0);
    for (Action.Share share : deploy.shares()) {
      assertThat(share.tasks()).extracting(task -> task.task().vertex()).doesNotHaveDuplicates();
      assertThat(share.tasks())
          .extracting(TaskInSlot::slot)
          .hasSize(2)
          .containsOnly(share.tasks().get(0).slot());
    }
    Placement placement = deploy.placement();
    assertThat(placement.hosts()).containsExactly("one:1", "two:1");
    assertThat(placement.hostOf().values()).containsExactly(List.of(0, 1), List.of(0, 1));
  }

  @Test
  void deploysIndependentRegionsAsTheirSlotsCome() {
    FakeWorkers world = new FakeWorkers(Graphs.lanes(4).build()).start();

    world.worker("one", 1);
    world.worker("two", 3);

    assertThat(world.deployments).hasSize(2);
    assertThat(world.deployments.get(0).tasks()).isEqualTo(2);
    assertThat(world.deployments.get(1).tasks()).isEqualTo(6);
    assertThat(world.deployments.get(0).placement().hostOf().values())
        .allSatisfy(hosts -> assertThat(hosts).containsExactly(0, -1, -1, -1));
  }

  @Test
  void saysOnceThatAllTasksRun() {
    FakeWorkers world = running(Graphs.pair(2), 2);

    assertThat(world.log).filteredOn(Action.AllRunning.class::isInstance).hasSize(1);
  }

  @Test
  void finishesWhenAllTasksHaveFinishedAndReleasesSlotsOnTheWay() {
    FakeWorkers world = running(Graphs.pair(2), 2);
    WorkerId worker = new WorkerId("one");

    List<ExecutionId> tasks = new ArrayList<>(world.tasks.get(worker).keySet());
    world.update(worker, tasks.get(0), TaskState.FINISHED);
    assertThat(world.pool.required()).isEqualTo(2);
    world.all(TaskState.FINISHED);

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(world.pool.required()).isZero();
    assertThat(world.pool.idle()).isEqualTo(2);
  }

  @Test
  void failsAtTheFirstFailureWithoutARestartStrategy() {
    FakeWorkers world = running(Graphs.pair(2), 2);
    WorkerId worker = new WorkerId("one");

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    assertThat(world.status()).isEqualTo(JobStatus.FAILING);
    assertThat(world.cancelled).hasSize(3);
    world.obeyCancellations();

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FAILED);
    assertThat(world.result.orElseThrow().failure().orElseThrow().message()).isEqualTo("broken");
    JobDetails details = world.scheduler.details(Optional.empty());
    assertThat(details.failures()).hasSize(1);
    assertThat(details.failures().get(0).task()).startsWith("source (");
  }

  @Test
  void restartsARegionWhenAllItsTasksHaveEndedAndTheDelayIsOver() {
    FakeWorkers world = running(Graphs.pair(2).restarts(3, DELAY), 2);
    WorkerId worker = new WorkerId("one");

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.restarts).extracting(Action.Restart::delay).containsExactly(DELAY);
    world.restartDue();
    assertThat(world.deployments).as("old tasks still run").hasSize(1);
    world.obeyCancellations();

    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.deployments).hasSize(2);
    assertThat(world.deployments.get(1).number()).isGreaterThan(world.deployments.get(0).number());
    assertThat(world.subtasks()).extracting(SubtaskDetails::attempt).containsOnly(1);
    assertThat(world.scheduler.details(Optional.empty()).restarts()).isEqualTo(1);
  }

  @Test
  void waitsForTheDelayWhenTheTasksEndFirst() {
    FakeWorkers world = running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId worker = new WorkerId("one");

    world.update(worker, world.anyTask(worker), TaskState.FAILED);
    world.obeyCancellations();
    assertThat(world.deployments).hasSize(1);

    world.restartDue();
    assertThat(world.deployments).hasSize(2);
  }

  @Test
  void restartsOnlyTheRegionThatFailed() {
    FakeWorkers world = running(Graphs.lanes(3).restarts(1, DELAY), 3);
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
  void failsWhenTheRestartsAreUsedUp() {
    FakeWorkers world = running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId worker = new WorkerId("one");

    for (int i = 0; i < 2; i++) {
      world.update(worker, world.anyTask(worker), TaskState.FAILED);
      world.obeyCancellations();
      world.restartDue();
    }

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.FAILED);
  }

  @Test
  void countsTheLossOfAWorkerOnceHoweverManyRegionsItHits() {
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
    assertThat(world.scheduler.details(Optional.empty()).restarts()).isEqualTo(1);
    assertThat(world.result).isEmpty();
  }

  @Test
  void countsAFailureAndTheLossThatCausedItOnce() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).restarts(1, DELAY).build()).start();
    WorkerId one = world.worker("one", 1);
    WorkerId two = world.worker("two", 1);
    world.all(TaskState.RUNNING);

    // The neighbour sees the broken channel before anybody knows that the process is dead.
    world.update(two, world.anyTask(two), TaskState.FAILED);
    world.obeyCancellationsOn(two);
    world.restartDue();
    assertThat(world.deployments).as("waits for what runs on the dead worker").hasSize(1);
    world.lose(one);
    world.worker("three", 1);

    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.deployments).hasSize(2);
    assertThat(world.scheduler.details(Optional.empty()).restarts()).isEqualTo(1);
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
  void failsTheTasksOfALostSlotAndEndsThemOnTheirWorker() {
    FakeWorkers world = running(Graphs.lanes(2).restarts(1, DELAY), 2);
    WorkerId one = new WorkerId("one");

    world.perform(
        world.scheduler.slotLost(
            one, world.slots.get(one).get(0), Failure.of(ErrorKind.EXTERNAL, "x"), world.now()));

    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.cancelled).hasSize(2);
    assertThat(world.pool.waiting()).isEqualTo(1);
  }

  @Test
  void cancelsAtOnceWhatWasNeverDeployed() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).build()).start();

    world.perform(world.scheduler.cancel(world.now()));

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.CANCELED);
    assertThat(world.cancelled).isEmpty();
  }

  @Test
  void looksForNoMoreSlotsOnceItIsCancelled() {
    FakeWorkers world = new FakeWorkers(Graphs.lanes(3).build()).start();
    WorkerId one = world.worker("one", 1);
    world.all(TaskState.RUNNING);
    assertThat(world.pool.waiting()).isEqualTo(2);

    world.perform(world.scheduler.cancel(world.now()));

    assertThat(world.pool.waiting()).isZero();
    assertThat(world.pool.required()).isEqualTo(1);
    assertThat(world.result).isEmpty();
    world.obeyCancellationsOn(one);
    assertThat(world.result).isPresent();
  }

  @Test
  void isCanceledWhenTheLastTaskHasEndedHoweverItEnds() {
    FakeWorkers world = running(Graphs.pair(2), 2);
    WorkerId one = new WorkerId("one");
    List<ExecutionId> tasks = new ArrayList<>(world.tasks.get(one).keySet());

    world.perform(world.scheduler.cancel(world.now()));
    assertThat(world.status()).isEqualTo(JobStatus.CANCELLING);
    world.update(one, tasks.get(0), TaskState.FINISHED);
    world.update(one, tasks.get(1), TaskState.FAILED);
    world.update(one, tasks.get(2), TaskState.CANCELED);
    assertThat(world.result).isEmpty();
    world.lose(one);

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.CANCELED);
    assertThat(world.result.orElseThrow().failure()).isEmpty();
  }

  @Test
  void cancelsDuringARestart() {
    FakeWorkers world = running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    world.update(one, world.anyTask(one), TaskState.FAILED);

    world.perform(world.scheduler.cancel(world.now()));
    world.restartDue();
    world.obeyCancellations();

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.CANCELED);
    assertThat(world.deployments).hasSize(1);
  }

  @Test
  void ignoresCancelWhileItFailsAndFailureWhileItIsCancelled() {
    FakeWorkers failing = running(Graphs.pair(1), 1);
    failing.perform(failing.scheduler.fail(Failure.of(ErrorKind.RESOURCE, "no"), failing.now()));
    failing.perform(failing.scheduler.cancel(failing.now()));
    assertThat(failing.status()).isEqualTo(JobStatus.FAILING);

    FakeWorkers cancelled = running(Graphs.pair(1), 1);
    cancelled.perform(cancelled.scheduler.cancel(cancelled.now()));
    cancelled.perform(
        cancelled.scheduler.fail(Failure.of(ErrorKind.RESOURCE, "no"), cancelled.now()));
    assertThat(cancelled.status()).isEqualTo(JobStatus.CANCELLING);
  }

  @Test
  void failsTheWholeJobWhateverItsRestartStrategy() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).restarts(9, DELAY).build()).start();

    world.perform(
        world.scheduler.fail(Failure.of(ErrorKind.RESOURCE, "too few slots"), world.now()));

    assertThat(world.result.orElseThrow().failure().orElseThrow().kind())
        .isEqualTo(ErrorKind.RESOURCE);
  }

  @Test
  void ignoresRepeatedAndLateUpdates() {
    FakeWorkers world = running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    ExecutionId first = world.anyTask(one);

    world.update(one, first, TaskState.INITIALIZING);
    world.update(one, first, TaskState.FAILED);
    world.update(one, first, TaskState.FAILED);
    world.update(one, first, TaskState.FINISHED);

    assertThat(world.scheduler.details(Optional.empty()).restarts()).isEqualTo(1);
    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
  }

  @Test
  void treatsATaskThatItsWorkerEndedAsFailed() {
    FakeWorkers world = running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");

    world.update(one, world.anyTask(one), TaskState.CANCELED);

    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
  }

  @Test
  void cancelsTasksThatAWorkerReportsAndNobodyKnows() {
    FakeWorkers world = running(Graphs.pair(1), 1);
    WorkerId one = new WorkerId("one");
    ExecutionId stranger = new ExecutionId(new Id128(0, 0));
    List<ExecutionId> reported = new ArrayList<>(world.tasks.get(one).keySet());
    reported.add(stranger);

    world.perform(
        world.scheduler.reconcile(
            one,
            world.scheduler.question(),
            new TaskReport(List.of(), reported, List.of()),
            world.now()));

    assertThat(world.cancelled).containsExactly(stranger);
    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void failsMissingTasksOnlyIfTheyWereThereWhenTheWorkerWasAsked() {
    FakeWorkers world = running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    TaskReport nothing = new TaskReport(List.of(), List.of(), List.of());

    long before = world.scheduler.question();
    world.scheduler.deployed(world.deployments.get(0).shares().get(0));
    world.perform(world.scheduler.reconcile(one, before, nothing, world.now()));
    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);

    long after = world.scheduler.question();
    world.perform(world.scheduler.reconcile(one, after, nothing, world.now()));
    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(world.scheduler.details(Optional.empty()).restarts()).isEqualTo(1);
  }

  @Test
  void restartsWhenAWorkerDidNotTakeItsShare() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).restarts(1, DELAY).build()).start();
    world.worker("one", 1);
    WorkerId two = world.worker("two", 1);

    world.perform(
        world.scheduler.deploymentFailed(
            world.deployments.get(0).shares().get(1),
            Failure.of(ErrorKind.EXTERNAL, "no such slot"),
            world.now()));
    world.tasks.get(two).clear();
    world.obeyCancellations();
    world.restartDue();

    assertThat(world.deployments).hasSize(2);
    assertThat(world.scheduler.details(Optional.empty()).restarts()).isEqualTo(1);
  }

  @Test
  void waitsForTheReportOfAWorkerThatDidNotSayWhetherItTookItsShare() {
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
    world.perform(
        world.scheduler.reconcile(
            one,
            world.scheduler.question(),
            new TaskReport(List.of(), List.of(), List.of()),
            world.now()));

    assertThat(world.deployments).hasSize(2);
    assertThat(world.scheduler.details(Optional.empty()).restarts()).isEqualTo(1);
  }

  @Test
  void suspendsFromAnyLivingState() {
    FakeWorkers world = running(Graphs.pair(1), 1);
    world.scheduler.suspend(world.now());

    assertThat(world.status()).isEqualTo(JobStatus.SUSPENDED);
  }

  @Test
  void refusesAGraphWhoseEdgesLeadNowhere() {
    Graphs backwards = new Graphs(1).vertex("a", 1).vertex("b", 1).edge(1, 0, Partitioning.HASH);
    Graphs uneven = new Graphs(1).vertex("a", 1).vertex("b", 2).edge(0, 1, Partitioning.FORWARD);

    assertThatThrownBy(() -> new FakeWorkers(backwards.build()))
        .isInstanceOf(MillraceException.class);
    assertThatThrownBy(() -> new FakeWorkers(uneven.build())).isInstanceOf(MillraceException.class);
  }

  @Test
  void connectsRescaledNeighboursOnly() {
    FakeWorkers world =
        running(
            new Graphs(1)
                .vertex("a", 2)
                .vertex("b", 4)
                .edge(0, 1, Partitioning.RESCALE)
                .restarts(1, DELAY),
            4);
    WorkerId one = new WorkerId("one");

    world.update(one, world.subtasks().get(0).execution(), TaskState.FAILED);
    world.obeyCancellations();
    world.restartDue();

    assertThat(world.subtasks())
        .extracting(SubtaskDetails::attempt)
        .containsExactly(1, 0, 1, 1, 0, 0);
  }

  private static FakeWorkers running(Graphs graph, int slots) {
    FakeWorkers world = new FakeWorkers(graph.build()).start();
    world.worker("one", slots);
    world.all(TaskState.RUNNING);
    return world;
  }
}
