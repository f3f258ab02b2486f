package io.millrace.worker.taskexecutor;

import static io.millrace.worker.taskexecutor.World.JOB;
import static io.millrace.worker.taskexecutor.World.allocation;
import static io.millrace.worker.taskexecutor.World.deployment;
import static io.millrace.worker.taskexecutor.World.execution;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.rpc.Acknowledge;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks from deployment to their last report. */
class JobTasksTest {
  private final World world = new World().registered();

  @Test
  void fetchesGraphAndJarsOnceAndHandsTasksToTheHost() {
    FakeJobMaster jobMaster = world.leadJob(1);
    BlobKey graph = world.graph();
    world.request(0, 10);
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, graph, 10, 1, 2)));
    int reads = world.blobs.reads.size();
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, graph, 10, 3)));

    assertThat(world.blobs.reads).hasSize(reads);
    assertThat(world.host.deployments).hasSize(2);
    assertThat(world.host.deployments.get(0).graph().id()).isEqualTo(JOB);
    assertThat(world.host.deployments.get(0).tasks())
        .extracting(TaskSpec::execution)
        .containsExactly(execution(1), execution(2));
    assertThat(world.made).hasSize(1);
    assertThat(world.host.loaders).containsOnly(world.made.get(0));
  }

  @Test
  void deploymentsThatWaitForTheCodeKeepTheirOrder() {
    FakeJobMaster jobMaster = world.leadJob(1);
    BlobKey graph = world.graph();
    world.request(0, 10);
    for (int i = 1; i <= 3; i++) {
      world.gateway().deployTasks(deployment(jobMaster, graph, 10, i));
    }
    world.env.settle();
    assertThat(world.host.deployments)
        .extracting(deployment -> deployment.tasks().get(0).execution())
        .containsExactly(execution(1), execution(2), execution(3));
  }

  @Test
  void deploymentThatArrivesTwiceRunsOnce() {
    FakeJobMaster jobMaster = world.running(1);
    BlobKey graph = world.graph();
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, graph, 10, 1)));
    world.host.report(execution(1), TaskState.FINISHED);
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, graph, 10, 1)));
    assertThat(world.host.deployments).hasSize(1);
  }

  @Test
  void failsAsAWholeWhereASlotIsNotTheJobs() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    String failure =
        world.failureOf(
            world.gateway().deployTasks(deployment(jobMaster, world.graph(), 77, 1, 2)));
    assertThat(failure).contains(allocation(77).toString(), "not allocated");
    assertThat(world.host.deployments).isEmpty();
  }

  @Test
  void codeThatCannotBeFetchedFailsTheDeploymentClearly() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    BlobKey graph = world.graph();
    world.blobs.failures = 100;
    CompletableFuture<Acknowledge> call =
        world.gateway().deployTasks(deployment(jobMaster, graph, 10, 1));
    world.env.advance(Duration.ofSeconds(5));

    assertThat(world.failureOf(call)).contains("Could not fetch blob", "the disk is on fire");
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.FAILED);

    world.blobs.failures = 0;
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, graph, 10, 2)));
    assertThat(world.host.deployments).hasSize(1);
  }

  @Test
  void brokenHostFailsTheDeployment() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    world.host.broken = true;
    CompletableFuture<Acknowledge> call =
        world.gateway().deployTasks(deployment(jobMaster, world.graph(), 10, 1));
    assertThat(world.failureOf(call)).contains("the host is broken");
    assertThat(report(jobMaster).executions()).isEmpty();
  }

  @Test
  void taskCancelledWhileItsCodeLoadsNeverStarts() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    BlobKey graph = world.graph();
    world.blobs.failures = 1;
    CompletableFuture<Acknowledge> call =
        world.gateway().deployTasks(deployment(jobMaster, graph, 10, 1, 2));
    world.env.settle();
    assertThat(report(jobMaster).executions()).containsExactly(execution(1), execution(2));
    world.env.answer(
        world
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    world.env.advance(Duration.ofSeconds(1));

    assertThat(call).isCompleted();
    assertThat(world.host.deployments.get(0).tasks())
        .extracting(TaskSpec::execution)
        .containsExactly(execution(2));
    assertThat(jobMaster.allUpdates())
        .containsExactly(new TaskUpdate(execution(1), TaskState.CANCELED, Optional.empty()));
  }

  @Test
  void reportsStatesInOrderWithFailures() {
    FakeJobMaster jobMaster = world.running(1);
    world.host.report(execution(1), TaskState.INITIALIZING);
    world.host.report(execution(1), TaskState.RUNNING);
    world.host.report(execution(1), TaskState.FAILED);
    world.env.settle();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.INITIALIZING, TaskState.RUNNING, TaskState.FAILED);
    assertThat(jobMaster.allUpdates().get(2).failure())
        .map(Failure::message)
        .contains("the function threw");
  }

  @Test
  void thousandsOfUpdatesTravelInAHandfulOfMessages() {
    int[] tasks = IntStream.rangeClosed(1, 4000).toArray();
    FakeJobMaster jobMaster = world.running(tasks);
    for (int task : tasks) {
      world.host.report(execution(task), TaskState.INITIALIZING);
      world.host.report(execution(task), TaskState.RUNNING);
    }
    world.env.settle();
    assertThat(jobMaster.allUpdates()).hasSize(8000);
    assertThat(jobMaster.updates).hasSizeLessThan(10);
  }

  @Test
  void oneMessageIsUnderWayAtATime() {
    FakeJobMaster jobMaster = world.running(1, 2, 3);
    jobMaster.holdUpdates = true;
    world.host.report(execution(1), TaskState.RUNNING);
    world.env.settle();
    world.host.report(execution(2), TaskState.RUNNING);
    world.host.report(execution(3), TaskState.RUNNING);
    world.env.settle();
    assertThat(jobMaster.updates).hasSize(1);

    jobMaster.heldUpdates.remove().complete(Acknowledge.INSTANCE);
    world.env.settle();
    assertThat(jobMaster.updates).hasSize(2);
    assertThat(jobMaster.updates.get(1).updates())
        .extracting(TaskUpdate::execution)
        .containsExactly(execution(2), execution(3));
  }

  @Test
  void unacknowledgedUpdatesAreSentAgain() {
    FakeJobMaster jobMaster = world.running(1);
    jobMaster.holdUpdates = true;
    world.host.report(execution(1), TaskState.RUNNING);
    world.env.advance(Duration.ofSeconds(10));
    jobMaster.holdUpdates = false;
    world.env.advance(Duration.ofSeconds(10));
    assertThat(jobMaster.updates.size()).isGreaterThan(1);
    assertThat(jobMaster.updates).containsOnly(jobMaster.updates.get(0));
  }

  @Test
  void manyLongFailuresAreDividedIntoMessagesOfBoundedSize() {
    int[] tasks = IntStream.rangeClosed(1, 100).toArray();
    FakeJobMaster jobMaster = world.running(tasks);
    Failure failure = new Failure(ErrorKind.USER, "X", "m", "s".repeat(16_000));
    for (int task : tasks) {
      world
          .host
          .listeners
          .get(execution(task))
          .stateChanged(execution(task), TaskState.FAILED, Optional.of(failure));
    }
    world.env.settle();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::execution)
        .containsExactlyElementsOf(IntStream.of(tasks).mapToObj(World::execution).toList());
    assertThat(jobMaster.updates).allMatch(batch -> batch.updates().size() < 20);
  }

  @Test
  void endedTaskStaysInTheReportUntilItsEndIsAcknowledged() {
    FakeJobMaster jobMaster = world.running(1, 2);
    jobMaster.holdUpdates = true;
    world.host.report(execution(1), TaskState.FINISHED);
    world.env.settle();
    TaskReport before = report(jobMaster);
    assertThat(before.slots()).containsExactly(allocation(10));
    assertThat(before.executions()).containsExactly(execution(1), execution(2));
    assertThat(before.counters()).hasSize(2);

    jobMaster.heldUpdates.remove().complete(Acknowledge.INSTANCE);
    world.env.settle();
    assertThat(report(jobMaster).executions()).containsExactly(execution(2));
  }

  @Test
  void cancelsKnownTasksAndIgnoresOthers() {
    FakeJobMaster jobMaster = world.running(1);
    world.env.answer(
        world
            .gateway()
            .cancelTasks(
                new CancelTasks(
                    JOB, jobMaster.leaderToken(), List.of(execution(9), execution(1)))));
    world.env.settle();
    assertThat(world.host.cancelled).containsExactly(execution(1));
    assertThat(jobMaster.allUpdates())
        .containsExactly(new TaskUpdate(execution(1), TaskState.CANCELED, Optional.empty()));
  }

  @Test
  @Behaviour(
      "F5: a task that ignores its cancellation ends its TaskManager; the job names the line")
  void taskThatIgnoresItsCancellationEndsTheProcess() {
    world.host.obedient = false;
    FakeJobMaster jobMaster = world.running(1);
    world.env.answer(
        world
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    world.advanceWithHeartbeats(Duration.ofSeconds(175), jobMaster);
    assertThat(world.fatal).isEmpty();
    world.advanceWithHeartbeats(Duration.ofSeconds(10), jobMaster);
    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0))
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
    FakeJobMaster jobMaster = world.running(1);
    world.host.listeners.get(execution(1)).failing(execution(1));
    world.advanceWithHeartbeats(Duration.ofSeconds(175), jobMaster);
    assertThat(world.fatal).isEmpty();
    world.advanceWithHeartbeats(Duration.ofSeconds(10), jobMaster);
    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0))
        .hasMessageContaining("Task 'Map' (2/4) of job " + JOB + " did not end within 3 min of its")
        .hasMessageContaining("its failure (task.cancellation.timeout). It is in com.example.");
  }

  @Test
  void taskThatEndsSoonAfterItsFailureEndsNothingElse() {
    FakeJobMaster jobMaster = world.running(1);
    TaskListener listener = world.host.listeners.get(execution(1));
    listener.failing(execution(1));
    listener.stateChanged(
        execution(1), TaskState.FAILED, Optional.of(Failure.of(ErrorKind.EXTERNAL, "lost")));
    // One that is told late changes nothing.
    listener.failing(execution(1));
    world.advanceWithHeartbeats(Duration.ofMinutes(4), jobMaster);
    assertThat(world.fatal).isEmpty();
    assertThat(jobMaster.allUpdates()).extracting(TaskUpdate::state).contains(TaskState.FAILED);
  }

  @Test
  void aTaskThatDoesNotEndAlthoughNoneOfItsCodeRunsIsNotBlamedOnItsFunction() {
    world.host.obedient = false;
    world.host.line = Optional.empty();
    FakeJobMaster jobMaster = world.running(1);
    world.env.answer(
        world
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    world.advanceWithHeartbeats(Duration.ofSeconds(185), jobMaster);
    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0))
        .hasMessageContaining("None of its code is running: this is a mistake of Millrace")
        .hasMessageNotContaining("interruption");
  }

  @Test
  @Behaviour(
      "F5: a task that ignores its cancellation ends its TaskManager; the job names the line")
  void aJobsOwnPatienceWithItsTasksCounts() {
    world.ofJob = World.with("task.cancellation.timeout", "20 s");
    world.host.obedient = false;
    FakeJobMaster jobMaster = world.running(1);
    world.env.answer(
        world
            .gateway()
            .cancelTasks(new CancelTasks(JOB, jobMaster.leaderToken(), List.of(execution(1)))));
    world.advanceWithHeartbeats(Duration.ofSeconds(15), jobMaster);
    assertThat(world.fatal).isEmpty();
    world.advanceWithHeartbeats(Duration.ofSeconds(10), jobMaster);
    assertThat(world.fatal).hasSize(1);
  }

  @Test
  @Behaviour("I3: the final counters of a task travel with its last state update")
  void whatATaskHasDoneTravelsWithItsEnd() {
    FakeJobMaster jobMaster = world.running(1);
    TaskCounters last = new TaskCounters(execution(1), 10, 20, 30, 40, 50, 60, 70);
    world.host.listeners.get(execution(1)).counted(last);
    world.host.report(execution(1), TaskState.FINISHED);
    world.env.settle();
    assertThat(jobMaster.allUpdates())
        .containsExactly(
            new TaskUpdate(execution(1), TaskState.FINISHED, Optional.empty(), Optional.of(last)));
  }

  @Test
  void collectedRecordsWaitForTheJobMaster() {
    FakeJobMaster jobMaster = world.running(1);
    jobMaster.holdCollected = true;
    int[] accepted = new int[1];
    collect(accepted);
    world.advanceWithHeartbeats(Duration.ofMinutes(10), jobMaster);
    assertThat(jobMaster.collected)
        .containsExactly(new CollectedPart(execution(1), "result", Bytes.utf8("records"), 3));
    assertThat(accepted[0]).isZero();

    jobMaster.heldCollected.remove().complete(Acknowledge.INSTANCE);
    world.env.settle();
    assertThat(accepted[0]).isEqualTo(1);
  }

  @Test
  void taskWhoseRecordsWereLostFails() {
    FakeJobMaster jobMaster = world.running(1);
    jobMaster.holdCollected = true;
    collect(new int[1]);
    world.env.settle();
    jobMaster.heldCollected.remove().completeExceptionally(new IllegalStateException("no room"));
    world.env.settle();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.FAILED);
    assertThat(jobMaster.allUpdates().get(0).failure().orElseThrow().message())
        .contains("result", "no room");
  }

  @Test
  void leaderHearsTheEndOfTasksInItsLastFreedSlot() {
    FakeJobMaster jobMaster = world.running(1);
    jobMaster.holdUpdates = true;
    world.env.answer(world.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    world.env.settle();
    assertThat(world.resourceManager.available).hasSize(1);
    assertThat(jobMaster.left).isEmpty();
    assertThat(jobMaster.allUpdates())
        .extracting(TaskUpdate::state)
        .containsExactly(TaskState.CANCELED);

    jobMaster.heldUpdates.remove().complete(Acknowledge.INSTANCE);
    world.env.settle();
    assertThat(jobMaster.left).hasSize(1);
  }

  @Test
  void codeGoesWithTheLastSlot() {
    FakeJobMaster jobMaster = world.running(1);
    world.request(1, 11);
    world.env.answer(world.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    world.env.settle();
    assertThat(world.host.released).isEmpty();
    world.env.answer(world.gateway().freeSlot(HostedJobTest.free(jobMaster, 11)));
    world.env.settle();
    assertThat(world.host.released).containsExactly(JOB);

    int reads = world.blobs.reads.size();
    world.request(0, 12);
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, world.graph(), 12, 5)));
    assertThat(world.made).hasSize(2);
    assertThat(world.blobs.reads.size()).isGreaterThan(reads);
  }

  @Test
  void nothingHoldsTheClassesOfAJobThatLeft() {
    FakeJobMaster jobMaster = world.running(1);
    WeakReference<ClassLoader> loader = new WeakReference<>(world.made.get(0));
    world.env.answer(world.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    world.env.settle();
    world.made.clear();
    world.host.loaders.clear();

    long deadline = System.nanoTime() + 60_000_000_000L;
    while (loader.get() != null && System.nanoTime() < deadline) {
      System.gc();
    }
    assertThat(loader.get()).isNull();
    assertThat(world.executor.terminated()).isNotDone();
  }

  private void collect(int[] accepted) {
    world
        .host
        .listeners
        .get(execution(1))
        .collected(execution(1), "result", Bytes.utf8("records"), 3, () -> accepted[0]++);
  }

  private TaskReport report(FakeJobMaster jobMaster) {
    return world.env.answer(
        world.gateway().heartbeatFromJobMaster(new AskTasks(JOB, jobMaster.leaderToken())));
  }
}
