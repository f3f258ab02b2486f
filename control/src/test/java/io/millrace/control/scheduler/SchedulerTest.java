package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.Graphs;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.task.Placement;
import io.millrace.task.Placement.Run;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  private static final Duration DELAY = Duration.ofMillis(100);

  @Test
  @Behaviour("E4: a slot holds one subtask of each vertex of its slot-sharing group")
  void requestsAsManySlotsAsTheLargestVertexOfEachGroup() {
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
  void requestsSlotsOfTheDeclaredSizes() {
    ResourceProfile small = new ResourceProfile(0.5, 10, 0, 0, 0);
    ResourceProfile large = new ResourceProfile(2, 20, 0, 0, 0);
    FakeWorkers world =
        new FakeWorkers(
                new Graphs(1)
                    .vertex("a", 2, "one")
                    .vertex("b", 3, "one")
                    .vertex("c", 1, "two")
                    .resources("one", small)
                    .resources("two", large)
                    .edge(0, 1, Partitioning.REBALANCE)
                    .edge(1, 2, Partitioning.REBALANCE)
                    .build())
            .start();

    assertThat(world.pool.requirements())
        .containsExactly(new Requirement(small, 3), new Requirement(large, 1));
  }

  @Test
  @Behaviour("E4: a pipelined region is deployed when it has all its slots")
  void deploysARegionOnlyWhenItHasAllItsSlots() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(3).build()).start();

    world.worker("one", 2);
    assertThat(world.deployments).isEmpty();

    world.worker("two", 1);
    assertThat(world.deployments).hasSize(1);
    SchedulerAction.Deploy deploy = world.deployments.get(0);
    assertThat(deploy.shares()).hasSize(2);
    assertThat(deploy.tasks()).isEqualTo(6);
    assertThat(deploy.number()).isGreaterThan(100);
  }

  @Test
  @Behaviour("E4: a slot holds one subtask of each vertex of its slot-sharing group")
  void putsOneSubtaskOfEachVertexIntoASlotAndSendsThePlacement() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).build()).start();
    world.worker("one", 1);
    world.worker("two", 1);

    SchedulerAction.Deploy deploy = world.deployments.get(0);
    for (SchedulerAction.Share share : deploy.shares()) {
      assertThat(share.tasks()).extracting(task -> task.task().vertex()).doesNotHaveDuplicates();
      assertThat(share.tasks())
          .extracting(TaskInSlot::slot)
          .hasSize(2)
          .containsOnly(share.tasks().get(0).slot());
    }
    assertThat(deploy.shares())
        .allSatisfy(
            share -> {
              Placement placement = share.placement().get(0).open();
              assertThat(share.placement()).hasSize(1);
              assertThat(placement.hosts()).containsExactly("one:1", "two:1");
              assertThat(placement.runs().values())
                  .containsExactly(
                      List.of(new Run(0, 1, 0), new Run(1, 1, 1)),
                      List.of(new Run(0, 1, 0), new Run(1, 1, 1)));
            });
  }

  @Test
  @Behaviour("E4: co-located subtasks of the same index share a slot")
  void coLocatesSubtasksOfTheSameIndex() {
    FakeWorkers world =
        new FakeWorkers(
                new Graphs(1)
                    .vertex("a", 4)
                    .vertex("b", 2)
                    .vertex("c", 4)
                    .edge(0, 1, Partitioning.REBALANCE)
                    .edge(1, 2, Partitioning.REBALANCE)
                    .build())
            .start();
    world.worker("one", 1);
    world.worker("two", 3);

    Map<Object, Set<Integer>> indexes = new LinkedHashMap<>();
    for (SchedulerAction.Share share : world.deployments.get(0).shares()) {
      for (TaskInSlot task : share.tasks()) {
        indexes.computeIfAbsent(task.slot(), x -> new TreeSet<>()).add(task.task().subtask());
      }
    }
    assertThat(indexes.values()).hasSize(4).allSatisfy(one -> assertThat(one).hasSize(1));
  }

  @Test
  @Behaviour("E4: a pipelined region is deployed when it has all its slots")
  void deploysIndependentRegionsWhenTheirSlotsArrive() {
    FakeWorkers world = new FakeWorkers(Graphs.lanes(4).build()).start();

    world.worker("one", 1);
    world.worker("two", 3);

    assertThat(world.deployments).hasSize(2);
    assertThat(world.deployments.get(0).tasks()).isEqualTo(2);
    assertThat(world.deployments.get(1).tasks()).isEqualTo(6);
    assertThat(tableOf(world.deployments.get(0)).runs().values())
        .allSatisfy(runs -> assertThat(runs).containsExactly(new Run(0, 1, 0)));
    assertThat(tableOf(world.deployments.get(1)).runs().values())
        .allSatisfy(runs -> assertThat(runs).containsExactly(new Run(1, 3, 0)));
  }

  /** A worker gets the placement of its own regions only. */
  @Test
  @Behaviour("Scale: a TaskManager gets the placement of its own regions only")
  void sendsWorkersThePlacementOfTheirOwnRegionsOnly() {
    FakeWorkers world = FakeWorkers.running(Graphs.lanes(4).restarts(5, Duration.ZERO), 4);
    world.deployments.clear();
    world.lose(new WorkerId("one"));
    world.worker("two", 2);
    world.worker("three", 2);

    world.restartDue();

    assertThat(world.deployments).hasSize(1);
    assertThat(world.deployments.get(0).shares())
        .hasSize(2)
        .allSatisfy(
            share -> {
              assertThat(share.placement()).hasSize(1);
              assertThat(share.placement().get(0).open().hosts())
                  .containsExactly(share.worker() + ":1");
            });
  }

  private static Placement tableOf(SchedulerAction.Deploy deploy) {
    return deploy.shares().get(0).placement().get(0).open();
  }

  @Test
  void reportsOnceThatAllTasksRun() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(2), 2);

    assertThat(world.log).filteredOn(SchedulerAction.AllRunning.class::isInstance).hasSize(1);
  }

  @Test
  void finishesWithItsLastTaskAndReleasesSlotsEarlier() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(2), 2);
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
  void cancelsTasksThatAreNotDeployedAtOnce() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).build()).start();

    world.perform(world.scheduler.cancel(world.now()));

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.CANCELED);
    assertThat(world.cancelled).isEmpty();
  }

  @Test
  void requestsNoSlotsAfterACancellation() {
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
  void isCanceledWhenTheLastTaskHasEnded() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(2), 2);
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
  @Behaviour("E5: cancellation, failure, suspension and finish race safely")
  void cancelsDuringARestart() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    world.update(one, world.anyTask(one), TaskState.FAILED);

    world.perform(world.scheduler.cancel(world.now()));
    world.restartDue();
    world.obeyCancellations();

    assertThat(world.result.orElseThrow().status()).isEqualTo(JobStatus.CANCELED);
    assertThat(world.deployments).hasSize(1);
  }

  @Test
  @Behaviour("E5: cancellation, failure, suspension and finish race safely")
  void ignoresCancelWhileItFailsAndFailureWhileItIsCancelled() {
    FakeWorkers failing = FakeWorkers.running(Graphs.pair(1), 1);
    failing.perform(failing.scheduler.fail(Failure.of(ErrorKind.RESOURCE, "no"), failing.now()));
    failing.perform(failing.scheduler.cancel(failing.now()));
    assertThat(failing.status()).isEqualTo(JobStatus.FAILING);

    FakeWorkers cancelled = FakeWorkers.running(Graphs.pair(1), 1);
    cancelled.perform(cancelled.scheduler.cancel(cancelled.now()));
    cancelled.perform(
        cancelled.scheduler.fail(Failure.of(ErrorKind.RESOURCE, "no"), cancelled.now()));
    assertThat(cancelled.status()).isEqualTo(JobStatus.CANCELLING);
  }

  @Test
  void failsTheJobIndependentlyOfItsRestartStrategy() {
    FakeWorkers world = new FakeWorkers(Graphs.pair(2).restarts(9, DELAY).build()).start();

    world.perform(
        world.scheduler.fail(Failure.of(ErrorKind.RESOURCE, "too few slots"), world.now()));

    assertThat(world.result.orElseThrow().failure().orElseThrow().kind())
        .isEqualTo(ErrorKind.RESOURCE);
  }

  @Test
  @Behaviour("E5: cancellation, failure, suspension and finish race safely")
  void ignoresRepeatedAndLateUpdates() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1).restarts(1, DELAY), 1);
    WorkerId one = new WorkerId("one");
    ExecutionId first = world.anyTask(one);

    world.update(one, first, TaskState.INITIALIZING);
    world.update(one, first, TaskState.FAILED);
    world.update(one, first, TaskState.FAILED);
    world.update(one, first, TaskState.FINISHED);

    assertThat(world.scheduler.details().restarts()).isEqualTo(1);
    assertThat(world.status()).isEqualTo(JobStatus.RESTARTING);
  }

  @Test
  void cancelsUnknownTasksThatAWorkerReports() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1), 1);
    WorkerId one = new WorkerId("one");
    ExecutionId unknown = new ExecutionId(new Id128(0, 0));
    List<ExecutionId> reported = new ArrayList<>(world.tasks.get(one).keySet());
    reported.add(unknown);

    world.reconcile(one, world.scheduler.nextHeartbeat(), reported);

    assertThat(world.cancelled).containsExactly(unknown);
    assertThat(world.status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  @Behaviour("I3: the final counters of a task travel with its last state update")
  void keepsTheTwoLastReportsOfATask() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1), 1);
    WorkerId one = new WorkerId("one");
    ExecutionId task = world.anyTask(one);

    counted(world, one, task, 100);
    counted(world, one, task, 250);
    assertThat(ages(world, task)).containsExactly(100L, 250L);

    world.perform(
        world.scheduler.tasksUpdated(
            one,
            List.of(TaskUpdate.of(task, TaskState.FINISHED).with(counters(task, 300))),
            world.now()));
    counted(world, one, task, 280);
    assertThat(ages(world, task)).containsExactly(250L, 300L);
  }

  @Test
  void repeatsACancellationWhileTheWorkerReportsTheTask() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1), 1);
    WorkerId one = new WorkerId("one");
    List<ExecutionId> reported = new ArrayList<>(world.tasks.get(one).keySet());
    world.perform(world.scheduler.cancel(world.now()));
    assertThat(world.cancelled).containsExactlyElementsOf(reported);

    world.reconcile(one, world.scheduler.nextHeartbeat(), reported);

    assertThat(world.cancelled).hasSize(2 * reported.size());
  }

  private static void counted(FakeWorkers world, WorkerId worker, ExecutionId task, long age) {
    List<ExecutionId> reported = new ArrayList<>(world.tasks.get(worker).keySet());
    world.perform(
        world.scheduler.reconcile(
            worker,
            world.scheduler.nextHeartbeat(),
            new TaskReport(world.slots.get(worker), reported, List.of(counters(task, age))),
            world.now()));
  }

  private static TaskCounters counters(ExecutionId task, long age) {
    return new TaskCounters(task, 0, 0, 0, 0, 0, 0, age);
  }

  private static List<Long> ages(FakeWorkers world, ExecutionId task) {
    return world.scheduler.details().vertices().stream()
        .flatMap(vertex -> vertex.subtasks().stream())
        .filter(subtask -> subtask.execution().equals(task))
        .flatMap(subtask -> Stream.concat(subtask.earlier().stream(), subtask.counters().stream()))
        .map(TaskCounters::millis)
        .toList();
  }

  @Test
  @Behaviour("E5: cancellation, failure, suspension and finish race safely")
  void suspendsFromAnyStateThatIsNotFinal() {
    FakeWorkers world = FakeWorkers.running(Graphs.pair(1), 1);
    world.scheduler.suspend(world.now());

    assertThat(world.status()).isEqualTo(JobStatus.SUSPENDED);
  }

  @Test
  void rejectsAGraphWithInvalidEdges() {
    Graphs backwards = new Graphs(1).vertex("a", 1).vertex("b", 1).edge(1, 0, Partitioning.HASH);
    Graphs uneven = new Graphs(1).vertex("a", 1).vertex("b", 2).edge(0, 1, Partitioning.FORWARD);

    assertThatThrownBy(() -> new FakeWorkers(backwards.build()))
        .isInstanceOf(MillraceException.class);
    assertThatThrownBy(() -> new FakeWorkers(uneven.build())).isInstanceOf(MillraceException.class);
  }

  @Test
  void connectsRescaledNeighboursOnly() {
    FakeWorkers world =
        FakeWorkers.running(
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
}
