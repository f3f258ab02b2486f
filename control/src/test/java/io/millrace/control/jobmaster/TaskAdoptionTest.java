package io.millrace.control.jobmaster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a change of the leader while tasks run on. */
class TaskAdoptionTest extends WithJobMaster {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @TempDir Path directory;

  private static Graphs graph() {
    return adopting(Graphs.pair(2));
  }

  private static Graphs adopting(Graphs graph) {
    return graph.set(ExecutionOptions.ADOPT_TASKS, "true");
  }

  /** The worker follows the next leader. */
  private WorkerRegistered register(FakeTaskManager worker) {
    WorkerRegistered success = world.settled(worker.register(job)).success().orElseThrow();
    world.env.settle();
    return success;
  }

  private void changeLeader() {
    world.settled(runner.stop());
    restart();
  }

  @Test
  @Behaviour("G3: tasks that run on without a JobMaster are adopted by the next one")
  void nextLeaderAdoptsTasks() {
    run(graph());
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    List<ExecutionId> before =
        details().vertices().stream()
            .flatMap(vertex -> vertex.subtasks().stream())
            .map(SubtaskDetails::execution)
            .toList();

    changeLeader();
    assertThat(register(one)).isEqualTo(new WorkerRegistered(leader().token(), true, true));
    one.reportKept();
    world.env.settle();
    assertThat(one.adoptions).as("the other one is awaited").isEmpty();
    assertThat(status()).isEqualTo(JobStatus.CREATED);
    register(two);
    two.reportKept();
    world.env.settle();

    assertThat(one.adoptions).hasSize(1);
    assertThat(two.adoptions).hasSize(1);
    assertThat(one.deployments).as("not deployed again").hasSize(1);
    assertThat(two.deployments).hasSize(1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    assertThat(status()).isEqualTo(JobStatus.RUNNING);
    assertThat(
            details().vertices().stream()
                .flatMap(vertex -> vertex.subtasks().stream())
                .map(SubtaskDetails::execution))
        .isEqualTo(before);
    one.all(TaskState.FINISHED);
    two.all(TaskState.FINISHED);
    assertThat(ended().result().status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  void tasksThatEndBetweenTheirReportAndTheDecisionAreAdoptedWithTheirEnd() {
    run(graph());
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    changeLeader();
    register(one);
    one.reportKept();
    world.env.settle();

    assertThat(world.settled(one.offerAgain()).accepted()).hasSize(1);
    register(two);
    two.reportKept();
    world.env.settle();

    assertThat(status()).isEqualTo(JobStatus.RUNNING);
    assertThat(one.adoptions.get(0).executions()).hasSize(2);
    one.all(TaskState.FINISHED);
    two.all(TaskState.FINISHED);
    assertThat(ended().result().status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  void tasksAreNotAdoptedWithoutTheOption() {
    run(Graphs.pair(2));
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    changeLeader();
    assertThat(register(one)).isEqualTo(new WorkerRegistered(leader().token(), false, false));
    assertThat(status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void jobWithCachedDataSetsKeepsNoTasks() {
    run(adopting(Graphs.pair(2).keeps(0, new DataSetId(new Id128(1, 1)))));
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    changeLeader();
    assertThat(register(one).keepsTasks()).isFalse();
  }

  @Test
  void restartsWhatIsNotReportedInTime() {
    run(graph());
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    world.kill(two);
    changeLeader();
    register(one);
    one.reportKept();
    world.env.advance(TIMEOUT);

    assertThat(one.adoptions).hasSize(1);
    assertThat(one.adoptions.get(0).executions()).isEmpty();
    assertThat(status()).isEqualTo(JobStatus.RUNNING);
    assertThat(world.settled(one.offer(2)).accepted()).hasSize(2);
    world.env.settle();
    assertThat(one.deployments).hasSize(2);
  }

  @Test
  void workerThatRegistersLaterCancelsItsTasks() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    changeLeader();
    world.env.advance(TIMEOUT);
    assertThat(register(one)).isEqualTo(new WorkerRegistered(leader().token(), true, false));
  }

  @Test
  void jobIsCancelledWhileTasksAreAwaited() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    changeLeader();
    register(one);
    world.settled(gateway().cancel(new CancelExecution(Optional.empty())));
    assertThat(ended().result().status()).isEqualTo(JobStatus.CANCELED);
    assertThat(one.dropped.get(one.dropped.size() - 1).ended()).isTrue();
    world.env.advance(TIMEOUT);
    assertThat(one.adoptions).isEmpty();
  }

  @Test
  @Behaviour("H4: the next leader says what became of checkpoints that were in progress")
  void adoptedTasksHearOfTheCheckpointsOfThePredecessor() {
    run(
        graph()
            .set(CheckpointingOptions.INTERVAL, "10 s")
            .set(CheckpointingOptions.DIRECTORY, directory.toString()));
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    world.env.advance(Duration.ofSeconds(10));
    one.acknowledge(1, snapshots(one, 0));
    world.env.settle();
    assertThat(one.completed).containsExactly(1L);
    world.env.advance(Duration.ofSeconds(10));
    assertThat(one.triggers).hasSize(2);

    changeLeader();
    register(one);
    one.reportKept();
    world.env.settle();

    assertThat(one.adoptions)
        .extracting(AdoptTasks::checkpoints)
        .containsExactly(new CheckpointOutcomes(1, 2));
    one.all(TaskState.RUNNING);
    world.env.settle();
    world.env.advance(Duration.ofSeconds(10));
    assertThat(one.triggers.get(2).request().checkpoint()).isEqualTo(3);
  }

  private static List<TaskSnapshot> snapshots(FakeTaskManager worker, int trigger) {
    return worker.triggers.get(trigger).tasks().stream()
        .map(
            execution ->
                new TaskSnapshot(execution, List.of(), List.of(), TaskSnapshot.Timing.NONE))
        .toList();
  }
}
