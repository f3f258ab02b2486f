package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.words;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.JOB;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.SLOT_TIMEOUT;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.allocation;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.execution;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.AwaitsCheckpoint;
import io.millrace.protocol.JobMasterGateway.KeptTask;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.reason.JobReason.JobMasterStops;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests of tasks that run on while their job has no leader. */
class TasksWithoutLeaderTest {
  private final TaskManagerFixture fixture = new TaskManagerFixture().registered();

  /** A leader whose tasks are kept. */
  private FakeJobMaster keeping(long term) {
    FakeJobMaster leader = fixture.jobMaster(term);
    leader.keepsTasks = true;
    return leader;
  }

  /** The next leader, which adopts tasks. */
  private FakeJobMaster adopting(long term) {
    FakeJobMaster leader = keeping(term);
    leader.adoptsTasks = true;
    return leader;
  }

  /** Tasks 0 and 1 run, and their leader is lost. */
  private void runAndLoseLeader() {
    fixture.running(keeping(1), 0, 1);
    run(0, 1);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.settle();
  }

  private void run(int... tasks) {
    for (int task : tasks) {
      fixture.host.report(execution(task), TaskState.INITIALIZING);
      fixture.host.report(execution(task), TaskState.RUNNING);
    }
    fixture.env.settle();
  }

  private static AdoptTasks adopt(FakeJobMaster leader, CheckpointOutcomes outcomes, int... tasks) {
    List<ExecutionId> executions =
        IntStream.of(tasks).mapToObj(TaskManagerFixture::execution).toList();
    return new AdoptTasks(JOB, leader.leaderToken(), executions, outcomes);
  }

  private static AdoptTasks adopt(FakeJobMaster leader, int... tasks) {
    return adopt(leader, new CheckpointOutcomes(0, 0), tasks);
  }

  private List<ExecutionId> reported(FakeJobMaster leader) {
    return fixture
        .env
        .answer(fixture.gateway().heartbeatFromJobMaster(new AskTasks(JOB, leader.leaderToken())))
        .executions();
  }

  @Test
  @Behaviour("G3: tasks that run on without a JobMaster are adopted by the next one")
  void nextLeaderAdoptsTasks() {
    runAndLoseLeader();
    assertThat(fixture.host.cancelled).isEmpty();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);

    assertThat(next.kept).hasSize(1);
    assertThat(next.kept.get(0).tasks())
        .containsExactly(
            new KeptTask(execution(0), allocation(10), TaskState.RUNNING),
            new KeptTask(execution(1), allocation(10), TaskState.RUNNING));
    assertThat(next.offers).as("a slot with tasks is not offered").isEmpty();
    assertThat(reported(next)).as("before they are adopted").isEmpty();

    fixture.env.answer(fixture.gateway().adoptTasks(adopt(next, 0, 1)));
    fixture.env.settle();

    assertThat(next.allUpdates())
        .containsExactly(
            TaskUpdate.of(execution(0), TaskState.RUNNING),
            TaskUpdate.of(execution(1), TaskState.RUNNING));
    assertThat(reported(next)).containsExactly(execution(0), execution(1));
    fixture.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), next);
    assertThat(fixture.host.cancelled).as("their slot is in use").isEmpty();
    assertThat(fixture.host.deployments).as("not deployed again").hasSize(1);
  }

  @Test
  void keptTasksEndWithTheirSlots() {
    runAndLoseLeader();
    fixture.advanceWithHeartbeats(SLOT_TIMEOUT.plusSeconds(5));
    assertThat(fixture.host.cancelled).containsExactly(execution(0), execution(1));
    assertThat(fixture.occupant(0)).isEmpty();
  }

  @Test
  void tasksEndWithALeaderThatDoesNotKeepThem() {
    fixture.running(0);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(execution(0));
  }

  @Test
  void leaderThatAdoptsNothingEndsTasks() {
    runAndLoseLeader();
    fixture.lead(keeping(2));
    assertThat(fixture.host.cancelled).containsExactly(execution(0), execution(1));
  }

  @Test
  void leaderThatIsFoundAgainTakesItsTasksForEnded() {
    FakeJobMaster leader = adopting(1);
    fixture.running(leader, 0);
    run(0);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).isEmpty();
    fixture.lead(leader);
    assertThat(fixture.host.cancelled).containsExactly(execution(0));
  }

  @Test
  void tasksAreKeptIfTheirLeaderStops() {
    FakeJobMaster leader = fixture.running(keeping(1), 0);
    leader.verdict = RegistrationStatus.REJECTED;
    fixture
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, leader.leaderToken(), false, new JobMasterStops(1)));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).isEmpty();
  }

  @Test
  void tasksEndIfTheirLeaderDropsTheWorker() {
    FakeJobMaster leader = fixture.running(keeping(1), 0);
    leader.verdict = RegistrationStatus.REJECTED;
    fixture
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, leader.leaderToken(), false, words("set by the test")));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(execution(0));
  }

  @Test
  void tasksThatAreNotAdoptedEnd() {
    runAndLoseLeader();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    fixture.env.answer(fixture.gateway().adoptTasks(adopt(next, 1)));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(execution(0));
    assertThat(reported(next)).containsExactly(execution(1));
  }

  @Test
  @Behaviour("G3: tasks that run on without a JobMaster are adopted by the next one")
  void adoptsAllOrNone() {
    runAndLoseLeader();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    assertThat(fixture.failureOf(fixture.gateway().adoptTasks(adopt(next, 0, 7))))
        .contains("1 of 2 tasks", "None was adopted");
    assertThat(fixture.host.cancelled).containsExactly(execution(0), execution(1));
    assertThat(reported(next)).isEmpty();
  }

  @Test
  @Behaviour("G1: a call with another token is not executed and answered with both tokens")
  void formerLeaderIsRefusedAfterAdoption() {
    runAndLoseLeader();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    fixture.env.answer(fixture.gateway().adoptTasks(adopt(next, 0, 1)));
    CancelTasks late =
        new CancelTasks(JOB, TaskManagerFixture.token(1), List.of(execution(0), execution(1)));
    assertThat(fixture.failureOf(fixture.gateway().cancelTasks(late)))
        .contains("follows leader " + TaskManagerFixture.token(2));
    assertThat(fixture.host.cancelled).isEmpty();
  }

  @Test
  void formerLeaderIsRefusedBeforeAdoption() {
    runAndLoseLeader();
    CancelTasks late =
        new CancelTasks(JOB, TaskManagerFixture.token(1), List.of(execution(0), execution(1)));
    assertThat(fixture.failureOf(fixture.gateway().cancelTasks(late)))
        .contains("follows no leader");
    assertThat(fixture.host.cancelled).isEmpty();
  }

  @Test
  void endsOfTasksWithoutALeaderAreReportedAfterAdoption() {
    runAndLoseLeader();
    fixture.host.report(execution(0), TaskState.FINISHED);
    fixture.host.report(execution(1), TaskState.FAILED);
    fixture.env.settle();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    assertThat(next.kept.get(0).tasks())
        .containsExactly(
            new KeptTask(execution(0), allocation(10), TaskState.FINISHED),
            new KeptTask(execution(1), allocation(10), TaskState.FAILED));

    fixture.env.answer(fixture.gateway().adoptTasks(adopt(next, 0, 1)));
    fixture.env.settle();

    assertThat(next.allUpdates())
        .extracting(TaskUpdate::execution)
        .containsExactly(execution(0), execution(1));
    assertThat(next.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.FINISHED, TaskState.FAILED);
    assertThat(next.allUpdates().get(1).failure()).isPresent();
  }

  @Test
  void finishedTasksAreReportedToLaterLeadersAsWell() {
    FakeJobMaster leader = fixture.running(keeping(1), 0, 1);
    run(0, 1);
    fixture.host.report(execution(0), TaskState.FINISHED);
    fixture.env.settle();
    assertThat(leader.allUpdates()).contains(TaskUpdate.of(execution(0), TaskState.FINISHED));
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    assertThat(next.kept.get(0).tasks())
        .containsExactly(
            new KeptTask(execution(0), allocation(10), TaskState.FINISHED),
            new KeptTask(execution(1), allocation(10), TaskState.RUNNING));
  }

  @Test
  @Behaviour("H4: the next leader says what became of checkpoints that were in progress")
  void outcomesOfEarlierCheckpointsAreDecided() {
    runAndLoseLeader();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    fixture.env.answer(
        fixture.gateway().adoptTasks(adopt(next, new CheckpointOutcomes(5, 7), 0, 1)));
    assertThat(fixture.host.completed).containsExactly(5L);
    assertThat(fixture.host.earlierAborted).containsExactly(5L);
    assertThat(fixture.host.aborted).containsExactly(6L, 7L);
  }

  @Test
  void repeatedAdoptionHasNoEffect() {
    runAndLoseLeader();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    fixture.env.answer(fixture.gateway().adoptTasks(adopt(next, 0, 1)));
    fixture.env.answer(fixture.gateway().adoptTasks(adopt(next, 0, 1)));
    fixture.env.settle();
    assertThat(next.allUpdates()).hasSize(2);
    assertThat(fixture.host.cancelled).isEmpty();
  }

  @Test
  void reportIsRepeatedUntilItIsAcknowledged() {
    runAndLoseLeader();
    FakeJobMaster next = adopting(2);
    next.failingReports = 1;
    fixture.lead(next);
    fixture.env.advance(Duration.ofSeconds(1));
    assertThat(next.kept).hasSize(2);
  }

  @Test
  void taskWhoseRecordsTheLostLeaderHasIsNotKept() {
    fixture.running(keeping(1), 0, 1);
    run(0, 1);
    fixture
        .host
        .listeners
        .get(execution(0))
        .collected(execution(0), "result", Bytes.utf8("record"), 1, () -> {});
    fixture.env.settle();
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(execution(0));
  }

  @Test
  void taskThatCollectsRecordsWithoutALeaderEnds() {
    runAndLoseLeader();
    fixture
        .host
        .listeners
        .get(execution(1))
        .collected(execution(1), "result", Bytes.utf8("record"), 1, () -> {});
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(execution(1));
  }

  @Test
  void taskThatAwaitsACheckpointTellsTheNextLeader() {
    runAndLoseLeader();
    fixture.host.listeners.get(execution(0)).awaitsCheckpoint(execution(0));
    fixture.env.settle();
    FakeJobMaster next = adopting(2);
    fixture.lead(next);
    fixture.env.answer(fixture.gateway().adoptTasks(adopt(next, 0, 1)));
    fixture.env.settle();
    assertThat(next.allUpdates())
        .containsExactly(
            TaskUpdate.of(execution(0), TaskState.RUNNING).with(new AwaitsCheckpoint()),
            TaskUpdate.of(execution(1), TaskState.RUNNING));
  }
}
