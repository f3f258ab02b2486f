package io.millrace.worker.taskexecutor;

import static io.millrace.worker.taskexecutor.TaskManagerFixture.JOB;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.allocation;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.deployment;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.execution;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.AwaitsCheckpoint;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.RestoredStateUnusable;
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of tasks from their deployment to their last report. */
class JobTasksTest {
  private final TaskManagerFixture fixture = new TaskManagerFixture().registered();

  @Test
  void fetchesGraphAndJarsOnceAndHandsTasksToTheHost() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    BlobKey graph = fixture.graph();
    fixture.request(0, 10);
    fixture.env.answer(fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, 1, 2)));
    int reads = fixture.blobs.reads.size();
    fixture.env.answer(fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, 3)));

    assertThat(fixture.blobs.reads).hasSize(reads);
    assertThat(fixture.host.deployments).hasSize(2);
    assertThat(fixture.host.deployments.get(0).graph().id()).isEqualTo(JOB);
    assertThat(fixture.host.deployments.get(0).tasks())
        .extracting(TaskSpec::execution)
        .containsExactly(execution(1), execution(2));
    assertThat(fixture.classLoaders).hasSize(1);
    assertThat(fixture.host.loaders).containsOnly(fixture.classLoaders.get(0));
  }

  @Test
  void deploymentsThatWaitForTheCodeKeepTheirOrder() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    BlobKey graph = fixture.graph();
    fixture.request(0, 10);
    for (int i = 1; i <= 3; i++) {
      fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, i));
    }
    fixture.env.settle();
    assertThat(fixture.host.deployments)
        .extracting(deployment -> deployment.tasks().get(0).execution())
        .containsExactly(execution(1), execution(2), execution(3));
  }

  @Test
  void deploymentThatArrivesTwiceRunsOnce() {
    FakeJobMaster jobMaster = fixture.running(1);
    BlobKey graph = fixture.graph();
    fixture.env.answer(fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, 1)));
    fixture.host.report(execution(1), TaskState.FINISHED);
    fixture.env.answer(fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, 1)));
    assertThat(fixture.host.deployments).hasSize(1);
  }

  @Test
  @Behaviour("F5: a deployment that arrives twice runs once")
  void repeatedDeploymentNeedsNotTheCheckpointThatItsTasksStartedFrom(@TempDir Path directory) {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    FileCheckpointStorage checkpoints = new FileCheckpointStorage(FileSystems.withoutPlugins());
    String started = directory.resolve("chk-5").toString();
    checkpoints.createDirectory(started);
    checkpoints.writeMetadata(
        started, new CheckpointMetadata(JOB, 5, 1, CheckpointRequest.Type.CHECKPOINT, List.of()));
    DeployTasks request = restoring(deployment(jobMaster, fixture.graph(), 10, 1), started);
    fixture.env.answer(fixture.gateway().deployTasks(request));
    // A newer checkpoint is complete.
    checkpoints.delete(started);

    fixture.env.answer(fixture.gateway().deployTasks(request));

    assertThat(fixture.host.deployments).hasSize(1);
    assertThat(report(jobMaster).executions()).containsExactly(execution(1));
    assertThat(jobMaster.allUpdates()).isEmpty();
  }

  private static DeployTasks restoring(DeployTasks request, String directory) {
    return new DeployTasks(
        request.job(),
        request.jobMaster(),
        request.graph(),
        request.number(),
        request.tasks(),
        request.placement(),
        Optional.of(new RestoredCheckpoint(5, directory, directory)));
  }

  @Test
  void failsAsAWholeIfASlotIsNotAllocatedToTheJob() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    String failure =
        fixture.failureOf(
            fixture.gateway().deployTasks(deployment(jobMaster, fixture.graph(), 77, 1, 2)));
    assertThat(failure).contains(allocation(77).toString(), "not allocated");
    assertThat(fixture.host.deployments).isEmpty();
  }

  @Test
  void codeThatCannotBeFetchedFailsTheDeployment() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    BlobKey graph = fixture.graph();
    fixture.blobs.failures = 100;
    CompletableFuture<Acknowledge> call =
        fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, 1));
    fixture.env.advance(Duration.ofSeconds(5));

    assertThat(fixture.failureOf(call)).contains("Could not fetch blob", "disk error");
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.FAILED);

    fixture.blobs.failures = 0;
    fixture.env.answer(fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, 2)));
    assertThat(fixture.host.deployments).hasSize(1);
  }

  @Test
  void brokenHostFailsTheDeployment() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.host.broken = true;
    CompletableFuture<Acknowledge> call =
        fixture.gateway().deployTasks(deployment(jobMaster, fixture.graph(), 10, 1));
    assertThat(fixture.failureOf(call)).contains("the host is broken");
    assertThat(report(jobMaster).executions()).isEmpty();
  }

  @Test
  void taskCancelledWhileItsCodeLoadsNeverStarts() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    BlobKey graph = fixture.graph();
    fixture.blobs.failures = 1;
    CompletableFuture<Acknowledge> call =
        fixture.gateway().deployTasks(deployment(jobMaster, graph, 10, 1, 2));
    fixture.env.settle();
    assertThat(report(jobMaster).executions()).containsExactly(execution(1), execution(2));
    fixture.env.answer(
        fixture
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    fixture.env.advance(Duration.ofSeconds(1));

    assertThat(call).isCompleted();
    assertThat(fixture.host.deployments.get(0).tasks())
        .extracting(TaskSpec::execution)
        .containsExactly(execution(2));
    assertThat(jobMaster.allUpdates())
        .containsExactly(TaskUpdate.of(execution(1), TaskState.CANCELED));
  }

  @Test
  void reportsStatesInOrderWithFailures() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.host.report(execution(1), TaskState.INITIALIZING);
    fixture.host.report(execution(1), TaskState.RUNNING);
    fixture.host.report(execution(1), TaskState.FAILED);
    fixture.env.settle();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.INITIALIZING, TaskState.RUNNING, TaskState.FAILED);
    assertThat(jobMaster.allUpdates().get(2).failure())
        .map(Failure::message)
        .contains("the function threw");
  }

  @Test
  void batchesThousandsOfUpdatesIntoFewMessages() {
    int[] tasks = IntStream.rangeClosed(1, 4000).toArray();
    FakeJobMaster jobMaster = fixture.running(tasks);
    for (int task : tasks) {
      fixture.host.report(execution(task), TaskState.INITIALIZING);
      fixture.host.report(execution(task), TaskState.RUNNING);
    }
    fixture.env.settle();
    assertThat(jobMaster.allUpdates()).hasSize(8000);
    assertThat(jobMaster.updates).hasSizeLessThan(10);
  }

  @Test
  void oneMessageIsInFlightAtATime() {
    FakeJobMaster jobMaster = fixture.running(1, 2, 3);
    jobMaster.holdUpdates = true;
    fixture.host.report(execution(1), TaskState.RUNNING);
    fixture.env.settle();
    fixture.host.report(execution(2), TaskState.RUNNING);
    fixture.host.report(execution(3), TaskState.RUNNING);
    fixture.env.settle();
    assertThat(jobMaster.updates).hasSize(1);

    jobMaster.heldUpdates.remove().complete(Acknowledge.INSTANCE);
    fixture.env.settle();
    assertThat(jobMaster.updates).hasSize(2);
    assertThat(jobMaster.updates.get(1).updates())
        .extracting(TaskUpdate::execution)
        .containsExactly(execution(2), execution(3));
  }

  private static CheckpointRequest checkpoint(long number) {
    return new CheckpointRequest(
        number,
        0,
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        "chk-" + number,
        "shared",
        0);
  }

  private static TriggerCheckpoint trigger(FakeJobMaster jobMaster, long number) {
    return new TriggerCheckpoint(
        JOB,
        jobMaster.leaderToken(),
        checkpoint(number),
        List.of(execution(1), execution(2)),
        List.of());
  }

  private void store(int task, long checkpoint) {
    fixture
        .host
        .listeners
        .get(execution(task))
        .snapshotStored(
            checkpoint,
            new TaskSnapshot(execution(task), List.of(), List.of(), TaskSnapshot.Timing.NONE));
  }

  @Test
  @Behaviour(
      "H4: snapshots that are stored before their TaskManager is told of the checkpoint count")
  void snapshotsThatAreFasterThanTheTriggerAreAcknowledged() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    store(1, 7);
    fixture.env.settle();
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 7)));
    assertThat(jobMaster.acknowledged).isEmpty();
    store(2, 7);
    fixture.env.settle();
    assertThat(jobMaster.acknowledged)
        .extracting(AcknowledgeCheckpoint::checkpoint)
        .containsExactly(7L);
    assertThat(jobMaster.acknowledged.get(0).snapshots()).hasSize(2);

    store(1, 8);
    store(2, 8);
    fixture.env.settle();
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 8)));
    fixture.env.settle();
    assertThat(jobMaster.acknowledged)
        .extracting(AcknowledgeCheckpoint::checkpoint)
        .containsExactly(7L, 8L);
  }

  @Test
  @Behaviour("H4: snapshots whose message was lost are sent again")
  void acknowledgementThatFailsIsSentAgainUntilTheCheckpointHasEnded() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    jobMaster.failingAcknowledgements = 3;
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 7)));
    store(1, 7);
    store(2, 7);
    fixture.env.settle();
    assertThat(jobMaster.acknowledged).isEmpty();
    fixture.env.advance(Duration.ofSeconds(5));
    assertThat(jobMaster.acknowledged)
        .extracting(AcknowledgeCheckpoint::checkpoint)
        .containsExactly(7L);

    jobMaster.failingAcknowledgements = 1;
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 8)));
    store(1, 8);
    store(2, 8);
    fixture.env.settle();
    fixture.env.answer(
        fixture
            .gateway()
            .checkpointAborted(new CheckpointAborted(JOB, jobMaster.leaderToken(), 8)));
    fixture.env.advance(Duration.ofSeconds(5));
    assertThat(jobMaster.acknowledged).hasSize(1);
  }

  @Test
  void acknowledgementOfACheckpointIsSentAgainAfterALaterOneWasAborted() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    jobMaster.failingAcknowledgements = 1;
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 7)));
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 8)));
    store(1, 7);
    store(2, 7);
    fixture.env.settle();
    fixture.env.answer(
        fixture
            .gateway()
            .checkpointAborted(new CheckpointAborted(JOB, jobMaster.leaderToken(), 8)));
    fixture.env.advance(Duration.ofSeconds(5));
    assertThat(jobMaster.acknowledged)
        .extracting(AcknowledgeCheckpoint::checkpoint)
        .containsExactly(7L);
  }

  @Test
  void outcomeOfACheckpointIsAcknowledgedWhenTheTasksHaveIt() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    fixture.env.answer(
        fixture
            .gateway()
            .checkpointCompleted(new CheckpointCompleted(JOB, jobMaster.leaderToken(), 7)));
    fixture.env.answer(
        fixture
            .gateway()
            .checkpointAborted(new CheckpointAborted(JOB, jobMaster.leaderToken(), 8)));
    assertThat(fixture.host.completed).containsExactly(7L);
    assertThat(fixture.host.aborted).containsExactly(8L);
  }

  @Test
  void outcomeOfACheckpointIsRefusedIfItsLeaderIsNotFollowed() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    LeaderToken other =
        new LeaderToken(jobMaster.leaderToken().term() + 1, jobMaster.leaderToken().session());
    assertThatThrownBy(
            () ->
                fixture.env.answer(
                    fixture.gateway().checkpointCompleted(new CheckpointCompleted(JOB, other, 7))))
        .hasMessageContaining("follows leader");
    assertThat(fixture.host.completed).isEmpty();
  }

  @Test
  void failureThatIsFasterThanTheTriggerIsDeclined() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    fixture.host.listeners.get(execution(2)).snapshotDeclined(execution(2), 7, diskFull());
    fixture.env.settle();
    assertThat(jobMaster.declined).isEmpty();
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 7)));
    fixture.env.settle();
    assertThat(jobMaster.declined)
        .extracting(DeclineCheckpoint::execution)
        .containsExactly(execution(2));
  }

  private static DeclineCause diskFull() {
    return new DeclineCause.SnapshotNotStored(Failure.of(ErrorKind.EXTERNAL, "the disk is full"));
  }

  @Test
  void declinedCheckpointIsReportedUntilTheJobMasterHasHeardOfIt() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    jobMaster.failingAcknowledgements = 2;
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 7)));
    fixture.host.listeners.get(execution(2)).snapshotDeclined(execution(2), 7, diskFull());
    fixture.env.settle();
    assertThat(jobMaster.declined).isEmpty();
    fixture.env.advance(Duration.ofSeconds(5));
    assertThat(jobMaster.declined)
        .containsExactly(
            new DeclineCheckpoint(TaskManagerFixture.WORKER, 7, execution(2), diskFull()));

    jobMaster.failingAcknowledgements = 1;
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 8)));
    fixture.host.listeners.get(execution(2)).snapshotDeclined(execution(2), 8, diskFull());
    fixture.env.settle();
    fixture.env.answer(
        fixture
            .gateway()
            .checkpointAborted(new CheckpointAborted(JOB, jobMaster.leaderToken(), 8)));
    fixture.env.advance(Duration.ofSeconds(5));
    assertThat(jobMaster.declined).hasSize(1);
  }

  @Test
  void taskThatEndsDeclinesTheCheckpointBecauseItEnds() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 7)));
    fixture.host.report(execution(1), TaskState.FINISHED);
    fixture.env.settle();
    assertThat(jobMaster.declined)
        .singleElement()
        .extracting(DeclineCheckpoint::cause)
        .isInstanceOf(DeclineCause.TaskIsEnding.class);
  }

  @Test
  void reportsThatATaskAwaitsACheckpoint() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    fixture.host.report(execution(1), TaskState.RUNNING);
    fixture.host.listeners.get(execution(1)).awaitsCheckpoint(execution(1));
    fixture.env.settle();
    assertThat(jobMaster.updates.stream().flatMap(batch -> batch.updates().stream()))
        .last()
        .isEqualTo(TaskUpdate.of(execution(1), TaskState.RUNNING).with(new AwaitsCheckpoint()));
  }

  @Test
  void failedTaskNamesTheCheckpointWhoseStateItCannotUse() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    DeployTasks request = deployment(jobMaster, fixture.graph(), 10, 1, 2);
    fixture.gateway().deployTasks(restoring(request, "/no/such"));
    fixture.env.settle();
    assertThat(jobMaster.updates.stream().flatMap(batch -> batch.updates().stream()))
        .hasSize(2)
        .allSatisfy(
            update -> {
              assertThat(update.state()).isEqualTo(TaskState.FAILED);
              assertThat(update.notice()).contains(new RestoredStateUnusable(5));
            });
  }

  @Test
  void resultsOfAnAbortedCheckpointAreForgotten() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    store(1, 7);
    store(2, 7);
    fixture.env.settle();
    fixture.env.answer(
        fixture
            .gateway()
            .checkpointAborted(new CheckpointAborted(JOB, jobMaster.leaderToken(), 7)));
    fixture.env.settle();
    fixture.env.answer(fixture.gateway().triggerCheckpoint(trigger(jobMaster, 7)));
    fixture.env.settle();
    assertThat(jobMaster.acknowledged).isEmpty();
  }

  @Test
  void unacknowledgedUpdatesAreSentAgain() {
    FakeJobMaster jobMaster = fixture.running(1);
    jobMaster.holdUpdates = true;
    fixture.host.report(execution(1), TaskState.RUNNING);
    fixture.env.advance(Duration.ofSeconds(10));
    jobMaster.holdUpdates = false;
    fixture.env.advance(Duration.ofSeconds(10));
    assertThat(jobMaster.updates.size()).isGreaterThan(1);
    assertThat(jobMaster.updates).containsOnly(jobMaster.updates.get(0));
  }

  @Test
  void splitsLongFailuresIntoMessagesOfBoundedSize() {
    int[] tasks = IntStream.rangeClosed(1, 100).toArray();
    FakeJobMaster jobMaster = fixture.running(tasks);
    Failure failure = new Failure(ErrorKind.USER, "X", "m", "s".repeat(16_000));
    for (int task : tasks) {
      fixture
          .host
          .listeners
          .get(execution(task))
          .stateChanged(execution(task), TaskState.FAILED, Optional.of(failure));
    }
    fixture.env.settle();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::execution)
        .containsExactlyElementsOf(
            IntStream.of(tasks).mapToObj(TaskManagerFixture::execution).toList());
    assertThat(jobMaster.updates).allMatch(batch -> batch.updates().size() < 20);
  }

  @Test
  void endedTaskStaysInTheReportUntilItsEndIsAcknowledged() {
    FakeJobMaster jobMaster = fixture.running(1, 2);
    jobMaster.holdUpdates = true;
    fixture.host.report(execution(1), TaskState.FINISHED);
    fixture.env.settle();
    TaskReport before = report(jobMaster);
    assertThat(before.slots()).containsExactly(allocation(10));
    assertThat(before.executions()).containsExactly(execution(1), execution(2));
    assertThat(before.counters()).hasSize(2);

    jobMaster.heldUpdates.remove().complete(Acknowledge.INSTANCE);
    fixture.env.settle();
    assertThat(report(jobMaster).executions()).containsExactly(execution(2));
  }

  @Test
  void cancelsKnownTasksAndIgnoresOthers() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.env.answer(
        fixture
            .gateway()
            .cancelTasks(
                new CancelTasks(
                    JOB, jobMaster.leaderToken(), List.of(execution(9), execution(1)))));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(execution(1));
    assertThat(jobMaster.allUpdates())
        .containsExactly(TaskUpdate.of(execution(1), TaskState.CANCELED));
  }

  @Test
  @Behaviour(
      "F5: a task that ignores its cancellation ends its TaskManager; the job names the line")
  void taskThatIgnoresItsCancellationEndsTheProcess() {
    fixture.host.obedient = false;
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.env.answer(
        fixture
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    fixture.advanceWithHeartbeats(Duration.ofSeconds(175), jobMaster);
    assertThat(fixture.fatal).isEmpty();
    fixture.advanceWithHeartbeats(Duration.ofSeconds(10), jobMaster);
    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0))
        .hasMessage(
            "Task 'Map' (2/4) of job "
                + JOB
                + " did not end within 3 min of its cancellation (task.cancellation.timeout). It is"
                + " in com.example.Endless.map(Endless.java:7), which ignores interruption, so the"
                + " TaskManager has to end.");
  }

  @Test
  @Behaviour(
      "F5: a task that ignores its cancellation ends its TaskManager; the job names the line")
  void taskThatDoesNotEndAfterItsFailureEndsTheProcess() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.host.listeners.get(execution(1)).failing(execution(1));
    fixture.advanceWithHeartbeats(Duration.ofSeconds(175), jobMaster);
    assertThat(fixture.fatal).isEmpty();
    fixture.advanceWithHeartbeats(Duration.ofSeconds(10), jobMaster);
    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0))
        .hasMessageContaining("Task 'Map' (2/4) of job " + JOB + " did not end within 3 min of its")
        .hasMessageContaining("its failure (task.cancellation.timeout). It is in com.example.");
  }

  @Test
  void taskThatEndsAfterItsFailureDoesNotEndTheProcess() {
    FakeJobMaster jobMaster = fixture.running(1);
    TaskListener listener = fixture.host.listeners.get(execution(1));
    listener.failing(execution(1));
    listener.stateChanged(
        execution(1), TaskState.FAILED, Optional.of(Failure.of(ErrorKind.EXTERNAL, "lost")));
    // A late call has no effect.
    listener.failing(execution(1));
    fixture.advanceWithHeartbeats(Duration.ofMinutes(4), jobMaster);
    assertThat(fixture.fatal).isEmpty();
    assertThat(jobMaster.allUpdates()).extracting(TaskUpdate::state).contains(TaskState.FAILED);
  }

  @Test
  void taskThatDoesNotEndWithoutRunningCodeIsABug() {
    fixture.host.obedient = false;
    fixture.host.line = Optional.empty();
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.env.answer(
        fixture
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    fixture.advanceWithHeartbeats(Duration.ofSeconds(185), jobMaster);
    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0))
        .hasMessageContaining("None of its code is running, which is a bug of Millrace")
        .hasMessageNotContaining("interruption");
  }

  @Test
  @Behaviour(
      "F5: a task that ignores its cancellation ends its TaskManager; the job names the line")
  void cancellationTimeoutOfTheJobOverridesThatOfTheWorker() {
    fixture.jobConfiguration = TaskManagerFixture.with("task.cancellation.timeout", "20 s");
    fixture.host.obedient = false;
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.env.answer(
        fixture
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    fixture.advanceWithHeartbeats(Duration.ofSeconds(15), jobMaster);
    assertThat(fixture.fatal).isEmpty();
    fixture.advanceWithHeartbeats(Duration.ofSeconds(10), jobMaster);
    assertThat(fixture.fatal).hasSize(1);
  }

  @Test
  @Behaviour("I3: the final counters of a task travel with its last state update")
  void finalCountersAreInTheLastUpdate() {
    FakeJobMaster jobMaster = fixture.running(1);
    TaskCounters last = new TaskCounters(execution(1), 10, 20, 30, 40, 50, 60, 70);
    fixture.host.listeners.get(execution(1)).counted(last);
    fixture.host.report(execution(1), TaskState.FINISHED);
    fixture.env.settle();
    assertThat(jobMaster.allUpdates())
        .containsExactly(TaskUpdate.of(execution(1), TaskState.FINISHED).with(last));
  }

  @Test
  void collectedRecordsWaitForTheJobMaster() {
    FakeJobMaster jobMaster = fixture.running(1);
    jobMaster.holdCollected = true;
    int[] accepted = new int[1];
    collect(accepted);
    fixture.advanceWithHeartbeats(Duration.ofMinutes(10), jobMaster);
    assertThat(jobMaster.collected)
        .containsExactly(new CollectedPart(execution(1), "result", Bytes.utf8("records"), 3));
    assertThat(accepted[0]).isZero();

    jobMaster.heldCollected.remove().complete(Acknowledge.INSTANCE);
    fixture.env.settle();
    assertThat(accepted[0]).isEqualTo(1);
  }

  @Test
  void taskWhoseRecordsWereLostFails() {
    FakeJobMaster jobMaster = fixture.running(1);
    jobMaster.holdCollected = true;
    collect(new int[1]);
    fixture.env.settle();
    jobMaster.heldCollected.remove().completeExceptionally(new IllegalStateException("no room"));
    fixture.env.settle();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.FAILED);
    assertThat(jobMaster.allUpdates().get(0).failure().orElseThrow().message())
        .contains("result", "no room");
  }

  @Test
  void reportsTheEndsOfTasksInTheLastFreedSlot() {
    FakeJobMaster jobMaster = fixture.running(1);
    jobMaster.holdUpdates = true;
    fixture.env.answer(fixture.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    fixture.env.settle();
    assertThat(fixture.resourceManager.available).hasSize(1);
    assertThat(jobMaster.left).isEmpty();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.CANCELED);

    jobMaster.heldUpdates.remove().complete(Acknowledge.INSTANCE);
    fixture.env.settle();
    assertThat(jobMaster.left).hasSize(1);
  }

  @Test
  void codeIsReleasedWithTheLastSlot() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.request(1, 11);
    fixture.env.answer(fixture.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    fixture.env.settle();
    assertThat(fixture.host.released).isEmpty();
    fixture.env.answer(fixture.gateway().freeSlot(HostedJobTest.free(jobMaster, 11)));
    fixture.env.settle();
    assertThat(fixture.host.released).containsExactly(JOB);

    int reads = fixture.blobs.reads.size();
    fixture.request(0, 12);
    fixture.env.answer(
        fixture.gateway().deployTasks(deployment(jobMaster, fixture.graph(), 12, 5)));
    assertThat(fixture.classLoaders).hasSize(2);
    assertThat(fixture.blobs.reads.size()).isGreaterThan(reads);
  }

  @Test
  void classLoaderOfARemovedJobCanBeCollected() {
    FakeJobMaster jobMaster = fixture.running(1);
    WeakReference<ClassLoader> loader = new WeakReference<>(fixture.classLoaders.get(0));
    fixture.env.answer(fixture.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    fixture.env.settle();
    fixture.classLoaders.clear();
    fixture.host.loaders.clear();

    long deadline = System.nanoTime() + 60_000_000_000L;
    while (loader.get() != null && System.nanoTime() < deadline) {
      System.gc();
    }
    assertThat(loader.get()).isNull();
    assertThat(fixture.executor.terminated()).isNotDone();
  }

  private void collect(int[] accepted) {
    fixture
        .host
        .listeners
        .get(execution(1))
        .collected(execution(1), "result", Bytes.utf8("records"), 3, () -> accepted[0]++);
  }

  private TaskReport report(FakeJobMaster jobMaster) {
    return fixture.env.answer(
        fixture.gateway().heartbeatFromJobMaster(new AskTasks(JOB, jobMaster.leaderToken())));
  }
}
