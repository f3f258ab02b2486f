package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway.AskDisposal;
import io.millrace.protocol.DispatcherGateway.DescribeJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.DisposalAnswer;
import io.millrace.protocol.DispatcherGateway.DisposeSavepoint;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.StartJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.StartOutcome;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavepointsTest extends WithDispatcher {
  private static final Id128 OPERATION = new Id128(3, 4);

  @TempDir Path directory;

  private StartOutcome start(JobId job, CheckpointRequest.Type type) {
    return world
        .settled(
            dispatcher()
                .startCheckpoint(
                    new StartJobCheckpoint(
                        job, OPERATION, type, Optional.of(directory.toString()))))
        .outcome();
  }

  private CheckpointStatistics statistics(JobId job) {
    return world
        .settled(dispatcher().listCheckpoints(new ListJobCheckpoints(job)))
        .statistics()
        .orElseThrow();
  }

  private DisposalAnswer dispose(Path path) {
    world.settled(dispatcher().disposeSavepoint(new DisposeSavepoint(OPERATION, path.toString())));
    world.env.settle();
    return world.settled(dispatcher().askDisposal(new AskDisposal(OPERATION)));
  }

  private Path stored(JobId job, CheckpointRequest.Type type) {
    Path target = directory.resolve("stored");
    FileCheckpointStorage storage = new FileCheckpointStorage(FileSystems.withoutPlugins());
    storage.createDirectory(target.toString());
    storage.writeMetadata(target.toString(), new CheckpointMetadata(job, 1, 2, type, List.of()));
    return target;
  }

  @Test
  void jobThatWasStoppedKeepsItsStatisticsAndTheOutcomeOfTheStop() throws Exception {
    JobGraph graph = Graphs.pair(2).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "worker");
    worker.all(TaskState.RUNNING);
    world.env.settle();
    assertThat(start(graph.id(), CheckpointRequest.Type.SAVEPOINT_SUSPEND))
        .isEqualTo(StartOutcome.ACCEPTED);
    world.env.settle();
    worker.acknowledge(
        1,
        worker.triggers.get(0).tasks().stream()
            .map(task -> new TaskSnapshot(task, List.of(), List.of(), TaskSnapshot.Timing.NONE))
            .toList());
    world.env.settle();
    worker.all(TaskState.FINISHED);
    world.env.settle();

    CheckpointOperation stop = statistics(graph.id()).operation(OPERATION).orElseThrow();
    assertThat(stop.completed().orElseThrow().directory()).startsWith(directory.toString());
    assertThat(
            world
                .settled(dispatcher().describeCheckpoint(new DescribeJobCheckpoint(graph.id(), 1)))
                .checkpoint()
                .orElseThrow()
                .vertices())
        .hasSize(2);
    assertThat(start(graph.id(), CheckpointRequest.Type.SAVEPOINT)).isEqualTo(StartOutcome.ENDED);
  }

  @Test
  void checkpointOfAnUnknownJobIsNotFound() {
    JobId unknown = Graphs.pair(1).build().id();
    assertThat(start(unknown, CheckpointRequest.Type.CHECKPOINT)).isEqualTo(StartOutcome.NOT_FOUND);
    assertThat(
            world
                .settled(dispatcher().listCheckpoints(new ListJobCheckpoints(unknown)))
                .statistics())
        .isEmpty();
  }

  @Test
  void disposalDeletesASavepoint() {
    Path savepoint = stored(Graphs.pair(1).build().id(), CheckpointRequest.Type.SAVEPOINT);
    DisposalAnswer answer = dispose(savepoint);
    assertThat(answer.done()).isTrue();
    assertThat(answer.failure()).isEmpty();
    assertThat(Files.exists(savepoint)).isFalse();
  }

  @Test
  void disposalOfADirectoryWithoutASavepointDeletesNothing() throws Exception {
    Path mine = Files.createDirectory(directory.resolve("mine"));
    Files.writeString(mine.resolve("file"), "precious");
    assertThat(dispose(mine).failure().orElseThrow().message()).contains(mine.toString());
    assertThat(Files.exists(mine.resolve("file"))).isTrue();
  }

  @Test
  void checkpointOfARunningJobIsNotDisposed() throws Exception {
    JobGraph graph = Graphs.pair(2).build();
    world.settled(submit(graph));
    Path checkpoint = stored(graph.id(), CheckpointRequest.Type.CHECKPOINT);
    assertThat(dispose(checkpoint).failure().orElseThrow().message()).contains("has not ended");
    assertThat(Files.exists(checkpoint)).isTrue();
  }

  @Test
  void savepointThatAJobMayGoBackToIsNotDisposed() throws Exception {
    Path savepoint = stored(Graphs.pair(1).build().id(), CheckpointRequest.Type.SAVEPOINT);
    JobGraph graph = Graphs.pair(2).build();
    world.settled(
        submit(
            graph.withConfiguration(
                graph.configuration().with(StateRecoveryOptions.PATH, savepoint.toString()))));
    assertThat(dispose(savepoint).failure().orElseThrow().message())
        .contains("Job " + graph.id() + " was started with " + savepoint);
    assertThat(savepoint).exists();
  }

  @Test
  void outcomeOfAnUnknownDisposalIsNotKnown() {
    assertThat(world.settled(dispatcher().askDisposal(new AskDisposal(new Id128(9, 9)))).known())
        .isFalse();
  }
}
