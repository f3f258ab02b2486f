package io.millrace.control.jobmaster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.JobMasterGateway.DescribeCheckpoint;
import io.millrace.protocol.JobMasterGateway.ListCheckpoints;
import io.millrace.protocol.JobMasterGateway.StartCheckpoint;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobCheckpointsTest extends WithJobMaster {
  private static final Duration TIMEOUT = Configuration.EMPTY.get(RpcOptions.ASK_TIMEOUT);

  @TempDir Path directory;

  private Graphs graph() {
    return Graphs.pair(2)
        .restarts(3, Duration.ofMillis(10))
        .set(CheckpointingOptions.DIRECTORY, directory.toString())
        .set(CheckpointingOptions.INTERVAL, "10 s");
  }

  private Path checkpoint(long number) {
    return directory.resolve(job.toString()).resolve("chk-" + number);
  }

  private static void acknowledge(FakeTaskManager worker, TriggerCheckpoint trigger) {
    List<TaskSnapshot> snapshots = new ArrayList<>();
    for (ExecutionId task : trigger.tasks()) {
      snapshots.add(new TaskSnapshot(task, List.of(), List.of(), TaskSnapshot.Timing.NONE));
    }
    worker.acknowledge(trigger.request().checkpoint(), snapshots);
  }

  private void complete(FakeTaskManager... workers) {
    world.env.advance(Duration.ofSeconds(10));
    for (FakeTaskManager worker : workers) {
      acknowledge(worker, worker.triggers.get(worker.triggers.size() - 1));
    }
    world.env.settle();
  }

  @Test
  @Behaviour("H4: a checkpoint is stored before a TaskManager hears of its completion")
  void triggersStoresAndNotifies() {
    run(graph());
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    complete(one, two);

    assertThat(one.triggers).hasSize(1);
    assertThat(one.triggers.get(0).tasks()).isEqualTo(List.copyOf(one.tasks.keySet()));
    assertThat(one.triggers.get(0).sources()).hasSize(1);
    assertThat(one.completed).containsExactly(1L);
    assertThat(two.completed).containsExactly(1L);
    assertThat(Files.exists(checkpoint(1).resolve("_metadata"))).isTrue();
    assertThat(checkpoints.store().read(job).completed())
        .extracting(CompletedCheckpoint::number)
        .containsExactly(1L);
  }

  @Test
  @Behaviour("H4: the outcome of a checkpoint is repeated until a TaskManager acknowledges it")
  void repeatsTheOutcomeOfACheckpointUntilItIsAcknowledged() {
    run(graph().set(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, "1"));
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    one.answersOutcomes = false;
    complete(one, two);
    world.env.advance(TIMEOUT);
    assertThat(one.completed).containsExactly(1L, 1L);
    assertThat(two.completed).containsExactly(1L);

    one.answersOutcomes = true;
    world.env.advance(TIMEOUT.multipliedBy(3));
    assertThat(one.completed).containsExactly(1L, 1L, 1L);

    one.answersOutcomes = false;
    TriggerCheckpoint latest = one.triggers.get(one.triggers.size() - 1);
    one.decline(latest.request().checkpoint(), latest.tasks().get(0), "disk full");
    world.env.settle();
    one.answersOutcomes = true;
    world.env.advance(TIMEOUT);
    assertThat(one.aborted)
        .filteredOn(number -> number == latest.request().checkpoint())
        .hasSize(2);
    assertThat(two.aborted)
        .filteredOn(number -> number == latest.request().checkpoint())
        .hasSize(1);
  }

  @Test
  void doesNotRepeatTheOutcomeOfACheckpointToATaskManagerThatIsLost() {
    run(graph());
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    one.answersOutcomes = false;
    complete(one, two);
    one.silent = true;
    world.env.advance(Duration.ofMinutes(2));
    assertThat(one.dropped).isNotEmpty();
    int heard = one.completed.size();
    world.env.advance(Duration.ofMinutes(2));
    assertThat(one.completed).hasSize(heard);
  }

  @Test
  @Behaviour("E4: tasks that restart begin with the state of the last completed checkpoint")
  void restartedTasksRestoreTheLastCompletedCheckpoint() {
    run(graph());
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    complete(one, two);
    complete(one, two);
    one.all(TaskState.FAILED);
    world.env.advance(Duration.ofSeconds(1));

    DeployTasks again = one.deployments.get(one.deployments.size() - 1);
    assertThat(one.deployments).hasSizeGreaterThan(1);
    assertThat(again.restore())
        .contains(
            new RestoredCheckpoint(
                2,
                checkpoint(2).toString(),
                directory.resolve(job.toString()).resolve("shared").toString()));
    assertThat(Files.exists(checkpoint(1))).as("superseded").isFalse();
  }

  @Test
  void firstDeploymentRestoresNothing() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    assertThat(one.deployments.get(0).restore()).isEmpty();
  }

  @Test
  @Behaviour("G2: a new leader goes on from the last completed checkpoint")
  void nextLeaderRestoresTheLastCompletedCheckpoint() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    complete(one);
    world.settled(runner.stop());

    restart();
    FakeTaskManager later = worker("later", 2);
    assertThat(later.deployments.get(0).restore()).map(RestoredCheckpoint::number).contains(1L);
    later.all(TaskState.RUNNING);
    world.env.settle();
    complete(later);
    assertThat(later.triggers.get(0).request().checkpoint()).isEqualTo(2);
  }

  @Test
  @Behaviour(
      "H4: a job that starts again under its id leaves the checkpoints of its earlier run alone,"
          + " also under a new leader and at its end")
  void checkpointsOfAnEarlierRunStay() throws Exception {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    complete(one);
    world.settled(runner.stop());
    Path shared = Files.createDirectories(directory.resolve(job.toString()).resolve("shared"));
    Files.writeString(shared.resolve("1-a"), "retained");
    checkpoints.store().remove(job); // The job has ended, and its checkpoint is retained.

    run(graph().set(StateRecoveryOptions.PATH, checkpoint(1).toString()));
    FakeTaskManager two = worker("two", 2);
    assertThat(two.deployments.get(0).restore()).map(RestoredCheckpoint::number).contains(1L);
    two.all(TaskState.RUNNING);
    world.env.settle();
    complete(two);
    Path second = directory.resolve(job + "-2");
    assertThat(second.resolve("chk-2/_metadata")).exists();
    world.settled(runner.stop());

    restart();
    FakeTaskManager three = worker("three", 2);
    assertThat(three.deployments.get(0).restore())
        .contains(
            new RestoredCheckpoint(
                2, second.resolve("chk-2").toString(), second.resolve("shared").toString()));
    three.all(TaskState.RUNNING);
    world.env.settle();
    complete(three);
    assertThat(second.resolve("chk-3/_metadata")).exists();
    assertThat(second.resolve("chk-2")).doesNotExist();
    three.all(TaskState.FINISHED);
    assertThat(ended().result().status()).isEqualTo(JobStatus.FINISHED);
    checkpoints.cleanUp(job, JobStatus.FINISHED);
    assertThat(second).doesNotExist();
    assertThat(checkpoint(1).resolve("_metadata")).exists();
    assertThat(shared.resolve("1-a")).exists();
  }

  @Test
  void jobWithCheckpointsAndWithoutADirectoryFailsWithTheOptionToSet() {
    run(Graphs.pair(2).set(CheckpointingOptions.INTERVAL, "10 s"));
    assertThat(unstartable()).contains(CheckpointingOptions.DIRECTORY.key());
  }

  private String unstartable() {
    JobMasterRunner.Outcome outcome = world.settled(runner.outcome());
    assertThat(outcome).isInstanceOf(JobMasterRunner.Outcome.Unstartable.class);
    assertThat(resourceManager.declarations).isEmpty();
    return ((JobMasterRunner.Outcome.Unstartable) outcome).failure().message();
  }

  @Test
  void lossOfATaskManagerAbortsTheCheckpointAndDeletesItsFiles() {
    run(graph());
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    world.env.advance(Duration.ofSeconds(10));
    assertThat(Files.exists(checkpoint(1))).isTrue();
    two.all(TaskState.FAILED);
    world.env.settle();
    assertThat(one.aborted).containsExactly(1L);
    assertThat(Files.exists(checkpoint(1))).isFalse();
  }

  @Test
  void declinedCheckpointRestartsTheJobFromTheLastOneIfNoFailureIsTolerated() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    complete(one);
    world.env.advance(Duration.ofSeconds(10));
    one.decline(2, one.tasks.keySet().iterator().next(), "disk full");
    world.env.advance(Duration.ofSeconds(1));
    assertThat(details().failures().get(0).failure().message()).contains("disk full");
    assertThat(one.deployments.get(one.deployments.size() - 1).restore())
        .map(RestoredCheckpoint::number)
        .contains(1L);
  }

  @Test
  @Behaviour("A2: a path that does not exist fails the job before a slot is requested")
  void missingSavepointFailsTheJobBeforeAnySlotIsRequested() {
    run(Graphs.pair(2).set(StateRecoveryOptions.PATH, directory.resolve("nowhere").toString()));
    assertThat(unstartable()).contains("nowhere").contains("does not exist");
  }

  @Test
  void finishedJobKeepsItsCheckpointUntilItsResultIsStored() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    complete(one);
    one.all(TaskState.FINISHED);
    assertThat(ended().result().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(Files.exists(checkpoint(1))).isTrue();
    checkpoints.cleanUp(job, JobStatus.FINISHED);
    assertThat(Files.exists(directory.resolve(job.toString()))).isFalse();
    assertThat(checkpoints.store().read(job).completed()).isEmpty();
  }

  @Test
  void lateSnapshotOfAnAbortedCheckpointChangesNothing() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    world.env.advance(Duration.ofSeconds(10));
    TriggerCheckpoint first = one.triggers.get(0);
    one.all(TaskState.FAILED);
    world.env.advance(Duration.ofSeconds(1));
    acknowledge(one, first);
    world.env.settle();
    assertThat(checkpoints.store().read(job).completed()).isEmpty();
  }

  @Test
  void damagedCheckpointIsPassedOverForAnEarlierOne() throws Exception {
    run(graph().set(CheckpointingOptions.NUM_RETAINED, "2"));
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    complete(one);
    complete(one);
    world.settled(runner.stop());
    Path metadata = checkpoint(2).resolve("_metadata");
    byte[] content = Files.readAllBytes(metadata);
    content[content.length / 2] ^= 1;
    Files.write(metadata, content);

    restart();
    FakeTaskManager later = worker("later", 2);
    assertThat(later.deployments.get(0).restore())
        .map(RestoredCheckpoint::number)
        .isEqualTo(Optional.of(1L));

    later.all(TaskState.RUNNING);
    world.env.settle();
    complete(later);
    assertThat(checkpoints.store().read(job).completed())
        .extracting(CompletedCheckpoint::number)
        .containsExactly(1L, 3L);
    assertThat(checkpoints.store().read(job).abandoned())
        .extracting(CompletedCheckpoint::number)
        .containsExactly(2L);
    assertThat(metadata).exists();
  }

  private void start(Id128 operation, CheckpointRequest.Type type, Path target) {
    world.settled(
        gateway()
            .startCheckpoint(new StartCheckpoint(operation, type, Optional.of(target.toString()))));
    world.env.settle();
  }

  private CheckpointStatistics statistics() {
    return world.settled(gateway().listCheckpoints(new ListCheckpoints()));
  }

  @Test
  @Behaviour("A2: a savepoint that a user requests is stored in the directory that the user names")
  void savepointOfAUserIsStoredInTheNamedDirectory() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    Id128 operation = new Id128(1, 2);
    start(operation, CheckpointRequest.Type.SAVEPOINT, directory.resolve("mine"));
    start(operation, CheckpointRequest.Type.SAVEPOINT, directory.resolve("mine"));
    assertThat(one.triggers).as("a repeated request has no effect").hasSize(1);
    assertThat(statistics().operation(operation).orElseThrow().isDone()).isFalse();
    acknowledge(one, one.triggers.get(0));
    world.env.settle();

    CompletedCheckpoint done =
        statistics().operation(operation).orElseThrow().completed().orElseThrow();
    assertThat(Path.of(done.directory()).getParent()).isEqualTo(directory.resolve("mine"));
    assertThat(Files.exists(Path.of(done.directory()).resolve("_metadata"))).isTrue();
    assertThat(statistics().latestSavepoint()).map(CheckpointRecord::number).contains(1L);
    assertThat(
            world
                .settled(gateway().describeCheckpoint(new DescribeCheckpoint(1)))
                .checkpoint()
                .orElseThrow()
                .vertices())
        .hasSize(2);
  }

  @Test
  @Behaviour("A2: a stop with a savepoint has succeeded when the job has finished")
  void stopHasSucceededWhenTheJobHasFinished() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    Id128 operation = new Id128(1, 2);
    start(operation, CheckpointRequest.Type.SAVEPOINT_SUSPEND, directory.resolve("mine"));
    acknowledge(one, one.triggers.get(0));
    world.env.settle();
    assertThat(one.completed).containsExactly(1L);
    assertThat(statistics().operation(operation).orElseThrow().isDone()).isFalse();
    one.all(TaskState.FINISHED);
    assertThat(ended().checkpoints().operation(operation).orElseThrow().completed()).isPresent();
  }

  @Test
  @Behaviour("A2: a stop with a savepoint ends all regions of a job or none")
  void regionThatFailsAfterTheSavepointOfAStopRestartsTheOthersWithIt() {
    run(
        Graphs.lanes(2)
            .restarts(1, Duration.ofMillis(100))
            .set(CheckpointingOptions.DIRECTORY, directory.toString()));
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    Id128 operation = new Id128(1, 2);
    start(operation, CheckpointRequest.Type.SAVEPOINT_SUSPEND, directory.resolve("mine"));
    acknowledge(one, one.triggers.get(0));
    acknowledge(two, two.triggers.get(0));
    world.env.settle();
    one.all(TaskState.FINISHED);
    two.all(TaskState.FAILED);
    world.env.advance(Duration.ofSeconds(1));

    assertThat(statistics().operation(operation).orElseThrow().failure()).isPresent();
    for (FakeTaskManager worker : List.of(one, two)) {
      assertThat(worker.deployments).hasSize(2);
      assertThat(worker.deployments.get(1).restore()).map(RestoredCheckpoint::number).contains(1L);
    }
  }

  @Test
  void savepointWithoutADirectoryFailsWithTheOptionToSet() {
    run(Graphs.pair(2));
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    Id128 operation = new Id128(1, 2);
    world.settled(
        gateway()
            .startCheckpoint(
                new StartCheckpoint(
                    operation, CheckpointRequest.Type.SAVEPOINT, Optional.empty())));
    world.env.settle();
    assertThat(statistics().operation(operation).orElseThrow().failure().orElseThrow().message())
        .contains(CheckpointingOptions.SAVEPOINT_DIRECTORY.key());
  }

  @Test
  void restartIsCountedAsRestoredWithItsCheckpoint() {
    run(graph());
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();
    complete(one);
    one.all(TaskState.FAILED);
    world.env.advance(Duration.ofSeconds(1));
    assertThat(statistics().counts().restored()).isEqualTo(1);
    assertThat(statistics().restored().orElseThrow().checkpoint()).isEqualTo(1);
    assertThat(statistics().restored().orElseThrow().savepoint()).isFalse();
  }
}
