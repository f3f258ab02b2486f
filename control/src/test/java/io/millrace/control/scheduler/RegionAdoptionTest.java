package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.Graphs;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobMasterGateway.KeptTask;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.StoredDeployment;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of what a new leader adopts from its predecessor. */
class RegionAdoptionTest {
  private static final WorkerId ONE = new WorkerId("one");
  private static final WorkerId TWO = new WorkerId("two");

  /** A predecessor whose tasks run on two workers, and the next leader. */
  private static final class Change {
    final FakeWorkers before;
    final FakeWorkers after;
    RegionAdoption adoption;

    Change(Graphs graph) {
      this(graph, 1, 1);
    }

    Change(Graphs graph, int slotsOfOne, int slotsOfTwo) {
      before = new FakeWorkers(graph.build()).start();
      before.worker("one", slotsOfOne);
      before.worker("two", slotsOfTwo);
      before.all(TaskState.RUNNING);
      after = new FakeWorkers(graph.build(), 6);
      adoption = after.scheduler.adoption(before.scheduler.deployment(), 0);
    }

    List<KeptTask> kept(WorkerId worker) {
      List<KeptTask> kept = new ArrayList<>();
      before
          .tasks
          .get(worker)
          .forEach(
              (execution, task) ->
                  kept.add(new KeptTask(execution, task.slot(), TaskState.RUNNING)));
      return kept;
    }

    void register(WorkerId worker) {
      after.scheduler.workerRegistered(worker, worker + ":1");
      after.tasks.put(worker, new LinkedHashMap<>());
      after.slots.put(worker, new ArrayList<>());
    }

    void report(WorkerId worker, List<KeptTask> tasks) {
      register(worker);
      adoption.reported(worker, tasks);
    }

    void reportAll() {
      report(ONE, kept(ONE));
      report(TWO, kept(TWO));
    }

    void start() {
      after.perform(after.scheduler.start(adoption, after.now()));
    }

    SchedulerAction.Adopt adopted() {
      return after.log.stream()
          .filter(SchedulerAction.Adopt.class::isInstance)
          .map(SchedulerAction.Adopt.class::cast)
          .findFirst()
          .orElseThrow();
    }

    List<ExecutionId> executionsBefore() {
      return before.subtasks().stream().map(SubtaskDetails::execution).toList();
    }
  }

  @Test
  @Behaviour("G3: tasks that run on without a JobMaster are adopted by the next one")
  void adoptsARegionWhoseTasksAllRun() {
    Change change = new Change(Graphs.pair(2));
    assertThat(change.adoption.tasks()).isEqualTo(4);
    assertThat(change.adoption.workers()).containsExactly(ONE, TWO);
    change.report(ONE, change.kept(ONE));
    assertThat(change.adoption.isDecided()).isFalse();
    change.report(TWO, change.kept(TWO));
    assertThat(change.adoption.isDecided()).isTrue();

    change.start();

    assertThat(change.adopted().tasks()).isEqualTo(4);
    assertThat(change.after.deployments).isEmpty();
    assertThat(change.after.subtasks())
        .extracting(SubtaskDetails::execution)
        .isEqualTo(change.executionsBefore());
    assertThat(change.after.pool.held()).isEqualTo(2);
    assertThat(change.after.pool.waiting()).isZero();
    change.after.all(TaskState.RUNNING);
    assertThat(change.after.log).contains(new SchedulerAction.AllRunning(4));
    change.after.all(TaskState.FINISHED);
    assertThat(change.after.result.orElseThrow().status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  @Behaviour("G3: of a region of which a task is missing no task is adopted")
  void restartsARegionWithAMissingTask() {
    Change change = new Change(Graphs.pair(2));
    change.report(ONE, change.kept(ONE).subList(1, 2));
    assertThat(change.adoption.isDecided()).as("whatever the other one reports").isTrue();
    change.report(TWO, change.kept(TWO));

    change.start();

    assertThat(change.adopted().tasks()).isZero();
    assertThat(change.adopted().restarted()).isEqualTo(4);
    assertThat(change.after.pool.waiting()).isEqualTo(2);
    change.after.offer(ONE, 2);
    assertThat(change.after.deployments).hasSize(1);
    assertThat(change.after.subtasks())
        .extracting(SubtaskDetails::execution)
        .doesNotContainAnyElementsOf(change.executionsBefore());
  }

  @Test
  void adoptsTheRegionsThatAreComplete() {
    Change change = new Change(Graphs.lanes(2));
    change.report(ONE, change.kept(ONE));
    change.report(TWO, List.of());

    change.start();

    assertThat(change.adopted().tasks()).isEqualTo(2);
    assertThat(change.adopted().shares())
        .extracting(SchedulerAction.Share::worker)
        .containsExactly(ONE);
    assertThat(change.after.pool.waiting()).isEqualTo(1);
    change.after.offer(TWO, 1);
    assertThat(change.after.deployments).hasSize(1);
    assertThat(change.after.deployments.get(0).tasks()).isEqualTo(2);
    change.after.all(TaskState.RUNNING);
    assertThat(change.after.log).contains(new SchedulerAction.AllRunning(4));
  }

  @Test
  void regionsThatShareASlotAreAdoptedTogether() {
    // The second vertex is a region of its own for each subtask, in the slots of the first pair.
    Graphs graph =
        new Graphs(1)
            .vertex("source", 2)
            .vertex("sink", 2)
            .edge(0, 1, Partitioning.HASH)
            .vertex("alone", 2);
    Change change = new Change(graph);
    List<KeptTask> withoutAlone = new ArrayList<>(change.kept(ONE));
    withoutAlone.removeIf(
        task ->
            change.before.tasks.get(ONE).get(task.execution()).task().vertex().value().low() == 2);
    change.report(ONE, withoutAlone);
    change.report(TWO, change.kept(TWO));
    change.start();
    assertThat(change.adopted().tasks()).isZero();
  }

  @Test
  void anotherAttemptIsNotAdopted() {
    Change change = new Change(Graphs.lanes(2));
    List<KeptTask> others =
        change.kept(ONE).stream()
            .map(task -> new KeptTask(new ExecutionId(new Id128(99, 1)), task.slot(), task.state()))
            .toList();
    change.report(ONE, others);
    change.report(TWO, change.kept(TWO));
    change.start();
    assertThat(change.adopted().shares())
        .extracting(SchedulerAction.Share::worker)
        .containsExactly(TWO);
  }

  @Test
  void taskInAnotherSlotIsNotAdopted() {
    Change change = new Change(Graphs.lanes(2));
    AllocationId other = new AllocationId(new Id128(99, 1));
    change.report(
        ONE,
        change.kept(ONE).stream()
            .map(task -> new KeptTask(task.execution(), other, task.state()))
            .toList());
    change.report(TWO, change.kept(TWO));
    change.start();
    assertThat(change.adopted().tasks()).isEqualTo(2);
  }

  @Test
  void cancelledTaskIsNotAdopted() {
    Change change = new Change(Graphs.lanes(2));
    change.report(
        ONE,
        change.kept(ONE).stream()
            .map(task -> new KeptTask(task.execution(), task.slot(), TaskState.CANCELED))
            .toList());
    change.report(TWO, change.kept(TWO));
    change.start();
    assertThat(change.adopted().tasks()).isEqualTo(2);
  }

  @Test
  void taskThatFailedWithoutALeaderFailsItsRegion() {
    Change change = new Change(Graphs.lanes(2).restarts(3, Duration.ofMillis(100)));
    List<KeptTask> ofOne = change.kept(ONE);
    KeptTask failed = ofOne.get(0);
    change.report(
        ONE,
        List.of(new KeptTask(failed.execution(), failed.slot(), TaskState.FAILED), ofOne.get(1)));
    change.report(TWO, change.kept(TWO));
    change.start();
    assertThat(change.adopted().tasks()).isEqualTo(4);
    change.after.update(ONE, failed.execution(), TaskState.FAILED);
    assertThat(change.after.status()).isEqualTo(JobStatus.RESTARTING);
    assertThat(change.after.cancelled).containsExactly(ofOne.get(1).execution());
  }

  @Test
  void slotOfFinishedTasksIsNotNeeded() {
    Change change = new Change(Graphs.lanes(2));
    change.report(
        ONE,
        change.kept(ONE).stream()
            .map(task -> new KeptTask(task.execution(), task.slot(), TaskState.FINISHED))
            .toList());
    change.report(TWO, change.kept(TWO));
    change.start();
    assertThat(change.adopted().tasks()).isEqualTo(4);
    assertThat(change.after.pool.held()).isEqualTo(1);
    change.after.all(TaskState.FINISHED);
    assertThat(change.after.result.orElseThrow().status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  void slotThatIsOfferedAfterTheReportIsNotNeeded() {
    Change change = new Change(Graphs.lanes(2).restarts(3, Duration.ofMillis(100)));
    change.reportAll();
    AllocationId slot = change.kept(ONE).get(0).slot();
    change.adoption.offered(List.of(slot));
    List<SlotOffer> offers = List.of(new SlotOffer(slot, ResourceProfile.UNSPECIFIED));
    change.after.slots.get(ONE).add(slot);
    change.after.perform(
        change.after.scheduler.offer(ONE, offers, new ArrayList<>(), change.after.now()));
    change.start();
    assertThat(change.adopted().tasks()).isEqualTo(4);
    assertThat(change.after.pool.held()).isEqualTo(2);
    assertThat(change.after.pool.idle()).isEqualTo(1);

    change.after.update(ONE, change.kept(ONE).get(0).execution(), TaskState.FAILED);
    change.after.update(ONE, change.kept(ONE).get(1).execution(), TaskState.FINISHED);
    change.after.restartDue();
    assertThat(change.after.pool.idle()).as("the restart uses the slot").isZero();
    assertThat(change.after.deployments).hasSize(1);
  }

  /** The JobMaster returns a slot that is idle for too long, also while it waits for reports. */
  @Test
  void slotThatWasReturnedBeforeTheDecisionIsNotAdopted() {
    Change change = new Change(Graphs.lanes(2));
    change.reportAll();
    change.adoption.offered(List.of(change.kept(ONE).get(0).slot()));
    change.start();
    assertThat(change.adopted().tasks()).isEqualTo(4);
    assertThat(change.after.pool.held()).isEqualTo(1);
    change.after.all(TaskState.FINISHED);
    assertThat(change.after.result.orElseThrow().status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  void reportOfALostWorkerDoesNotCount() {
    Change change = new Change(Graphs.lanes(2));
    change.reportAll();
    change.adoption.workerLost(ONE);
    assertThat(change.adoption.isDecided()).isFalse();
    change.start();
    assertThat(change.adopted().shares())
        .extracting(SchedulerAction.Share::worker)
        .containsExactly(TWO);
  }

  @Test
  void executionsOfARegionThatStopsAreNotStored() {
    Change change = new Change(Graphs.lanes(2).restarts(3, Duration.ofMillis(100)));
    change.before.update(ONE, change.before.anyTask(ONE), TaskState.FAILED);
    StoredDeployment stored = change.before.scheduler.deployment();
    assertThat(stored.executions()).filteredOn(execution -> !execution.isDeployed()).hasSize(2);
    assertThat(stored.slots()).hasSize(1);
  }

  @Test
  @Behaviour("G3: a region is adopted only if it goes on from the last completed checkpoint")
  void taskThatStartedBehindTheLastCheckpointIsNotAdopted() {
    FakeWorkers before = new FakeWorkers(Graphs.lanes(1).build()).start();
    before.worker("one", 1);
    // Checkpoint 5 was taken before, and its leader did not know that it is complete.
    before.scheduler.deploys(before.deployments.get(0), new CheckpointOutcomes(4, 5));
    before.all(TaskState.RUNNING);
    StoredDeployment stored = before.scheduler.deployment();
    for (long completed = 4; completed <= 6; completed++) {
      FakeWorkers after = new FakeWorkers(Graphs.lanes(1).build(), 6);
      RegionAdoption adoption = after.scheduler.adoption(stored, completed);
      List<KeptTask> kept = new ArrayList<>();
      before
          .tasks
          .get(ONE)
          .forEach(
              (execution, task) ->
                  kept.add(new KeptTask(execution, task.slot(), TaskState.RUNNING)));
      adoption.reported(ONE, kept);
      assertThat(adoption.adopted()).as("checkpoint %d", completed).hasSize(completed == 5 ? 0 : 1);
    }
  }

  @Test
  void deploymentThatWaitsLeavesOutCancelledTasks() {
    FakeWorkers world = new FakeWorkers(Graphs.lanes(2).restarts(3, Duration.ZERO).build()).start();
    WorkerId one = world.worker("one", 1);
    world.worker("two", 1);
    SchedulerAction.Deploy first = world.deployments.get(0);
    world.lose(one);
    List<SchedulerAction.Share> left = new ArrayList<>();
    world.perform(world.scheduler.sending(first, left, world.now()));
    assertThat(left).as("of the lost worker nothing is sent").isEmpty();
    left.clear();
    world.perform(world.scheduler.sending(world.deployments.get(1), left, world.now()));
    assertThat(left).hasSize(1);
    assertThat(left.get(0).tasks()).hasSize(2);
  }
}
