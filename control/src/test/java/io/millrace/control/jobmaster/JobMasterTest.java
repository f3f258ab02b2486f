package io.millrace.control.jobmaster;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.EndedJobs;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.control.testing.SmallCluster;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.protocol.JobMasterGateway.FetchBatches;
import io.millrace.protocol.JobMasterGateway.RequirementsFailed;
import io.millrace.protocol.JobMasterGateway.RequirementsPending;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.journal.JobMasterEvent.SlotsComplete;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class JobMasterTest extends WithJobMaster {
  @Test
  void runsAJobAndReleasesAllSlots() {
    run(Graphs.pair(2));
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);

    assertThat(one.deployments).hasSize(1);
    assertThat(two.deployments).hasSize(1);
    assertThat(one.deployments.get(0).jobMaster()).isEqualTo(leader().token());
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();
    assertThat(details().vertices().get(0).subtasks())
        .allSatisfy(subtask -> assertThat(subtask.state()).isEqualTo(TaskState.RUNNING));
    one.all(TaskState.FINISHED);
    two.all(TaskState.FINISHED);

    JobTermination end = ended();
    assertThat(end.result().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(one.dropped).hasSize(1);
    assertThat(one.dropped.get(0).ended()).isTrue();
    assertThat(resourceManager.departures).hasSize(1);
    assertThat(resourceManager.departures.get(0).ended()).isTrue();
    assertThat(world.env.journal().of(job))
        .extracting(entry -> JournalText.title(JournalEvent.of(entry)))
        .containsSubsequence(
            "job master started",
            "registered at resource manager",
            "slots declared",
            "worker registered",
            "slots accepted",
            "slots complete",
            "tasks deployed",
            "tasks taken",
            "first task running",
            "tasks running",
            "job FINISHED");
    assertThat(world.env.journal().of(job))
        .filteredOn(entry -> entry.event() instanceof SlotsComplete)
        .singleElement()
        .extracting(JournalEntry::event)
        .isEqualTo(new SlotsComplete(2, 2));
  }

  @Test
  @Behaviour("H2: only a finished job keeps cached partitions, each from its last attempt")
  void jobEndsAfterWorkersKeepItsPartitions() {
    run(Graphs.pair(2).keeps(0, new DataSetId(new Id128(1, 1))));
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.answersKeeps = false;
    two.answersKeeps = false;
    one.all(TaskState.FINISHED);
    two.all(TaskState.FINISHED);
    world.env.settle();

    assertThat(one.keeps)
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.jobMaster()).isEqualTo(leader().token());
              assertThat(request.executions()).hasSize(1);
            });
    assertThat(two.keeps).hasSize(1);
    assertThat(one.dropped).as("registered until the partitions are kept").isEmpty();
    assertThat(runner.outcome()).isNotDone();

    // The workers never answer, which does not prevent the end of this job.
    world.env.advance(Duration.ofSeconds(60));
    assertThat(ended().result().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(one.dropped).hasSize(1);
  }

  @Test
  @Behaviour("H2: only a finished job keeps cached partitions, each from its last attempt")
  void keepsNoPartitionsOfAJobThatDoesNotFinish() {
    run(Graphs.pair(2).keeps(0, new DataSetId(new Id128(1, 1))));
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 1);
    one.all(TaskState.FINISHED);
    world.env.settle();
    two.all(TaskState.FAILED);
    assertThat(ended().result().status()).isEqualTo(JobStatus.FAILED);
    assertThat(one.keeps).as("partitions of finished tasks are not kept").isEmpty();
  }

  @Test
  @Behaviour(
      "E3: the JobMaster accepts a registration for its own job and leader id only, and repeats"
          + " the answer")
  void rejectsAWorkerOfAnotherJobAndAcceptsItsOwnRepeatedly() {
    run(Graphs.pair(1));
    FakeTaskManager one = world.taskManager("one");
    one.follow(job);
    world.env.settle();

    assertThat(world.settled(one.register(new Graphs(99).vertex("x", 1).build().id())).verdict())
        .isEqualTo(RegistrationStatus.REJECTED);
    assertThat(world.settled(one.register(job)).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(world.settled(one.register(job)).success().orElseThrow().jobMaster())
        .isEqualTo(leader().token());
  }

  @Test
  @Behaviour(
      "E3: an offer from an unregistered TaskManager gets an error; the TaskManager registers and"
          + " offers again")
  void rejectsOfferFromUnregisteredWorker() {
    run(Graphs.pair(1));
    FakeTaskManager one = world.taskManager("one");
    one.follow(job);
    world.env.settle();

    assertThat(world.settled(one.offer(1)).registered()).isFalse();
    assertThat(one.deployments).isEmpty();
  }

  @Test
  @Behaviour("E1: each job has its own leader election")
  @Behaviour(
      "E3: the JobMaster accepts a registration for its own job and leader id only, and repeats"
          + " the answer")
  void rejectsCallsWithAnotherToken() {
    run(Graphs.pair(1));
    JobMasterGateway gateway =
        world.gateway(JobMasterGateway.class, leader(), SmallCluster.unknownToken());

    CompletableFuture<Acknowledge> answer = gateway.cancel(new CancelExecution(Optional.empty()));
    world.env.settle();

    assertThatThrownBy(() -> world.env.answer(answer)).hasCauseInstanceOf(RpcException.class);
    assertThat(status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  @Behaviour("E3: the slots of a lost TaskManager fail their tasks")
  void restartsOnAnotherWorkerWhenAWorkerIsKilled() {
    run(Graphs.pair(2).restarts(1, SECOND));
    FakeTaskManager one = worker("one", 1);
    FakeTaskManager two = worker("two", 2);
    one.all(TaskState.RUNNING);
    two.all(TaskState.RUNNING);
    world.env.settle();

    world.kill(one);
    assertThat(status()).isEqualTo(JobStatus.RESTARTING);
    world.env.advance(SECOND);

    assertThat(status()).isEqualTo(JobStatus.RUNNING);
    assertThat(two.deployments).hasSize(2);
    assertThat(two.deployments.get(1).tasks()).hasSize(4);
    assertThat(details().restarts()).isEqualTo(1);
  }

  @Test
  void recordsTheLossOfADeployingWorkerOnce() {
    run(Graphs.pair(1).restarts(1, SECOND));
    FakeTaskManager one = world.taskManager("one");
    one.delaysDeployments = true;
    join(one, 1);
    assertThat(one.deployments).hasSize(1);

    world.kill(one);

    assertThat(world.env.journal().of(job))
        .filteredOn(entry -> entry.event() instanceof WorkerLost)
        .singleElement()
        .extracting(JournalText::of)
        .asString()
        .startsWith("It has not taken its tasks: Lost the connection to one-1/taskmanager")
        .endsWith(": process one-1 closed its connections.");
  }

  @Test
  void reportsThatItWaitsForANewSlot() {
    run(Graphs.pair(2).restarts(1, SECOND));
    FakeTaskManager one = worker("one", 1);
    worker("two", 1);
    world.kill(one);
    world.env.advance(SECOND);
    assertThat(text(details().waitingFor())).contains("1 of 2 slots");

    gateway()
        .requirementsPending(
            new RequirementsPending(
                resourceManager.token().orElseThrow(),
                1,
                Optional.of(words("Start another TaskManager."))));
    world.env.settle();
    assertThat(details().waitingFor()).contains(words("Start another TaskManager."));

    FakeTaskManager three = worker("three", 1);
    assertThat(three.deployments).hasSize(1);
    assertThat(details().waitingFor()).isEmpty();
  }

  @Test
  @Behaviour("E2: the JobMaster sends heartbeats to the TaskManager and gives up a silent one")
  void removesAWorkerThatDoesNotAnswer() {
    run(Graphs.pair(1).restarts(1, SECOND));
    FakeTaskManager one = worker("one", 1);
    one.silent = true;

    world.env.advance(Duration.ofSeconds(61));

    assertThat(one.dropped).hasSize(1);
    assertThat(one.dropped.get(0).ended()).isFalse();
    assertThat(details().waitingFor()).isPresent();
  }

  @Test
  @Behaviour(
      "E3: a new process of a TaskManager replaces the old one after the slots of the old one have"
          + " failed")
  void newProcessOfAWorkerReplacesTheOldOne() {
    run(Graphs.pair(1).restarts(1, SECOND));
    worker("one", 1);
    FakeTaskManager restarted = world.taskManager("one", 2);
    restarted.follow(job);
    world.env.settle();

    assertThat(world.settled(restarted.register(job)).verdict())
        .isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(status()).isEqualTo(JobStatus.RESTARTING);
    world.settled(restarted.offer(1));
    world.env.advance(SECOND);

    assertThat(restarted.deployments).hasSize(1);
    FakeTaskManager stale = world.taskManager("one", 0);
    stale.follow(job);
    world.env.settle();
    assertThat(world.settled(stale.register(job)).verdict()).isEqualTo(RegistrationStatus.REJECTED);
  }

  @Test
  @Behaviour("E2: a TaskManager answers heartbeats with its report")
  @Behaviour(
      "E4: the JobMaster cancels tasks it does not know, fails tasks that a TaskManager no longer"
          + " has, and repeats cancellations")
  void cancelsAnUnknownTaskOfAWorker() {
    run(Graphs.pair(1).restarts(3, SECOND));
    FakeTaskManager one = worker("one", 1);
    one.all(TaskState.RUNNING);
    world.env.settle();
    Map<ExecutionId, TaskInSlot> own = Map.copyOf(one.tasks);
    ExecutionId unknown = ExecutionId.random(new Random(1));
    one.tasks.put(unknown, own.values().iterator().next());

    world.env.advance(Duration.ofSeconds(11));

    assertThat(one.tasks).containsExactlyInAnyOrderEntriesOf(own);
    assertThat(status()).isEqualTo(JobStatus.RUNNING);
    assertThat(details().failures()).isEmpty();
  }

  @Test
  @Behaviour(
      "E4: the JobMaster cancels tasks it does not know, fails tasks that a TaskManager no longer"
          + " has, and repeats cancellations")
  void failsAMissingTaskAndRepeatsTheCancellationOfItsRegion() {
    run(Graphs.pair(1).restarts(3, SECOND));
    FakeTaskManager one = worker("one", 1);
    one.obeysCancellations = false;
    one.all(TaskState.RUNNING);
    world.env.settle();
    ExecutionId missing = one.tasks.keySet().iterator().next();
    one.tasks.remove(missing);

    world.env.advance(Duration.ofSeconds(11));

    assertThat(details().failures()).hasSize(1);
    assertThat(status()).isEqualTo(JobStatus.RESTARTING);
    one.obeysCancellations = true;
    world.env.advance(Duration.ofSeconds(11));
    assertThat(status()).as("the heartbeat repeats the cancellation").isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void failsTheJobWhenItsRequirementsCannotBeMet() {
    run(Graphs.pair(4).restarts(9, SECOND));

    gateway()
        .requirementsFailed(new RequirementsFailed(SmallCluster.unknownToken(), words("outdated")));
    world.env.settle();
    assertThat(status()).isEqualTo(JobStatus.RUNNING);
    gateway()
        .requirementsFailed(
            new RequirementsFailed(
                resourceManager.token().orElseThrow(), words("4 wanted, 2 there")));

    JobTermination end = ended();
    assertThat(end.result().status()).isEqualTo(JobStatus.FAILED);
    assertThat(end.result().failure().orElseThrow().kind()).isEqualTo(ErrorKind.RESOURCE);
    assertThat(end.result().failure().orElseThrow().message()).isEqualTo("4 wanted, 2 there.");
  }

  @Test
  void failsOnARefusedDeploymentWithoutARestartStrategy() {
    run(Graphs.pair(1));
    FakeTaskManager one = world.taskManager("one");
    one.refusesDeployments = true;
    join(one, 1);

    assertThat(ended().result().status()).isEqualTo(JobStatus.FAILED);
  }

  @Test
  @Behaviour(
      "E3: a slot without a request is kept for a while and then returned, also after it was used")
  void returnsAnIdleSlot() {
    run(Graphs.pair(1));
    FakeTaskManager one = worker("one", 2);

    world.env.advance(Duration.ofSeconds(49));
    assertThat(one.freed).isEmpty();
    world.env.advance(Duration.ofSeconds(2));

    assertThat(one.freed).hasSize(1);
  }

  @Test
  void cancelsAllTasks() {
    run(Graphs.pair(2));
    FakeTaskManager one = worker("one", 2);
    one.all(TaskState.RUNNING);
    world.env.settle();

    gateway().cancel(new CancelExecution(Optional.empty()));

    assertThat(ended().result().status()).isEqualTo(JobStatus.CANCELED);
    assertThat(one.tasks).isEmpty();
  }

  @Test
  void collectedRecordsBackPressureTasks() {
    run(Graphs.pair(1));
    FakeTaskManager one = worker("one", 1);
    ExecutionId task = one.tasks.keySet().iterator().next();
    CompletableFuture<CollectedPage> early =
        gateway().fetchCollected(new FetchBatches("out", 0, SECOND));
    assertThat(early).isNotDone();

    CompletableFuture<Acknowledge> last = one.collect(task, "out", Bytes.utf8("0"));
    assertThat(world.settled(early).batches()).containsExactly(Bytes.utf8("0"));
    for (int i = 1; i < 65; i++) {
      last = one.collect(task, "out", Bytes.utf8("" + i));
      world.env.settle();
    }
    assertThat(last).isNotDone();
    CollectedPage page =
        world.settled(gateway().fetchCollected(new FetchBatches("out", 1, SECOND)));
    assertThat(page.first()).isEqualTo(1);
    assertThat(page.batches()).hasSize(64);
    world.settled(gateway().fetchCollected(new FetchBatches("out", 10, Duration.ZERO)));
    assertThat(last).isCompleted();
  }

  @Test
  void collectsUnreadRecordsAgainAfterARestart() {
    run(Graphs.pair(1).restarts(1, SECOND));
    FakeTaskManager one = worker("one", 1);
    one.collect(one.tasks.keySet().iterator().next(), "out", Bytes.utf8("old"));
    one.all(TaskState.FAILED);
    world.env.advance(SECOND);
    one.collect(one.tasks.keySet().iterator().next(), "out", Bytes.utf8("new"));
    world.env.settle();

    assertThat(
            world.settled(gateway().fetchCollected(new FetchBatches("out", 0, SECOND))).batches())
        .containsExactly(Bytes.utf8("new"));
  }

  @Test
  void failsInsteadOfSendingRecordsTwice() {
    run(Graphs.pair(1).restarts(1, SECOND));
    FakeTaskManager one = worker("one", 1);
    one.collect(one.tasks.keySet().iterator().next(), "out", Bytes.utf8("old"));
    world.env.settle();
    world.settled(gateway().fetchCollected(new FetchBatches("out", 0, SECOND)));

    one.all(TaskState.FAILED);

    JobTermination end = ended();
    assertThat(end.result().status()).isEqualTo(JobStatus.FAILED);
    assertThat(end.result().failure().orElseThrow().message()).contains("twice");
  }

  @Test
  void keepsUnreadRecordsForTheClientWhenTheJobHasEnded() {
    run(Graphs.pair(1));
    FakeTaskManager one = worker("one", 1);
    one.collect(one.tasks.keySet().iterator().next(), "out", Bytes.utf8("late"));
    one.all(TaskState.FINISHED);

    CollectedPage page = ended().collected().page("out", 0);
    assertThat(page.batches()).containsExactly(Bytes.utf8("late"));
    assertThat(page.complete()).isTrue();
  }

  @Test
  @Behaviour("C3: a job with a stored result never runs again")
  @Behaviour("E1: a job whose result is stored is not run again")
  void doesNotRunAJobWhoseResultIsStored() {
    JobGraph graph = Graphs.pair(1).build();
    results.put(EndedJobs.of(graph.id(), JobStatus.FINISHED, 50), 1);

    run(Graphs.pair(1));

    assertThat(world.settled(runner.outcome()))
        .isInstanceOf(JobMasterRunner.Outcome.EndedBefore.class);
    assertThat(resourceManager.registrations).isEmpty();
  }

  @Test
  void reportsWhyAJobCannotStart() {
    run(new Graphs(1).vertex("a", 1).vertex("b", 1).edge(1, 0, Partitioning.HASH));

    JobMasterRunner.Outcome outcome = world.settled(runner.outcome());
    assertThat(outcome).isInstanceOf(JobMasterRunner.Outcome.Unstartable.class);
    assertThat(((JobMasterRunner.Outcome.Unstartable) outcome).failure().message())
        .contains("edge 0");
  }

  @Test
  @Behaviour("C1: loss of leadership suspends jobs and deletes nothing")
  @Behaviour("E1: each job has its own leader election")
  void suspendsTheJobAndKeepsItsSlots() {
    run(Graphs.pair(1));
    FakeTaskManager one = worker("one", 1);
    LeaderToken first = leader().token();

    world.settled(runner.stop());

    assertThat(runner.outcome()).isNotDone();
    assertThat(one.dropped.get(0).ended()).isFalse();
    assertThat(resourceManager.departures.get(0).ended()).isFalse();
    assertThat(world.leader(ComponentNames.jobMaster(job))).isEmpty();

    run(Graphs.pair(1));
    assertThat(leader().token().term()).isGreaterThan(first.term());
    world.env.settle();
    join(one, 1);
    assertThat(one.deployments).hasSize(2);
    assertThat(one.deployments.get(1).number()).isGreaterThan(one.deployments.get(0).number());
    assertThat(one.deployments.get(1).tasks().get(0).task().execution())
        .isNotEqualTo(one.deployments.get(0).tasks().get(0).task().execution());
  }
}
