package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.FetchCollected;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.DispatcherGateway.ShutDown;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.StoredJob;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DispatcherTest extends WithDispatcher {
  @Test
  @Behaviour("C2: a job is stored before its submission is acknowledged")
  void storesAJobBeforeTheAcknowledgementAndRunsIt() throws IOException {
    JobGraph graph = Graphs.pair(2).build();
    CompletableFuture<Acknowledge> submitted = submit(graph);
    world.env.advanceUntil(MINUTE, submitted::isDone);

    assertThat(new JobStore(store, codec).all())
        .extracting(StoredJob::job)
        .containsExactly(graph.id());
    world.env.settle();
    assertThat(resourceManager.required()).isEqualTo(2);
    assertThat(list()).extracting(JobOverview::status).containsExactly(JobStatus.RUNNING);
    assertThat(details(graph.id()).waitingFor()).isPresent();
  }

  @Test
  @Behaviour("C2: a duplicate is rejected, with distinct errors for a running and an ended job")
  void rejectsRunningAndEndedJobsWithDifferentErrors() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    CompletableFuture<Acknowledge> duplicate = submit(graph);
    world.env.settle();
    assertThatThrownBy(() -> world.env.answer(duplicate)).hasMessageContaining("running already");

    finish(graph.id());
    CompletableFuture<Acknowledge> resubmitted = submit(graph);
    world.env.settle();
    assertThatThrownBy(() -> world.env.answer(resubmitted))
        .hasMessageContaining("already ended as FINISHED");
    assertThat(blobs.contains(key(graph))).isFalse();
  }

  @Test
  void rejectedJobKeepsTheGraphOfTheRunningJob() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    JobGraph other = Graphs.pair(2).build();
    CompletableFuture<Acknowledge> same = submit(graph);
    CompletableFuture<Acknowledge> different = submit(other);
    world.env.settle();

    assertThat(same).isCompletedExceptionally();
    assertThat(different).isCompletedExceptionally();
    assertThat(blobs.contains(key(graph))).isTrue();
    assertThat(blobs.contains(key(other))).isFalse();
  }

  @Test
  @Behaviour("C2: a job in which only some vertices declare resources is rejected")
  void rejectsAJobThatDeclaresResourcesForSomeVerticesOnly() throws IOException {
    JobGraph graph =
        new Graphs(4)
            .vertex("read", 1, "green")
            .vertex("count", 1, "blue")
            .vertex("write", 1, "default")
            .resources("blue", new ResourceProfile(1, 1 << 20, 0, 0, 0))
            .build();
    CompletableFuture<Acknowledge> partly = submit(graph);
    world.env.settle();

    assertThatThrownBy(() -> world.env.answer(partly))
        .hasMessageContaining("declares resources for 'count' (group blue) but not for 'read'")
        .hasMessageContaining("'write' (group default)")
        .hasMessageContaining("for all slot sharing groups or for none");
    assertThat(list()).isEmpty();
    assertThat(new JobStore(store, codec).all()).isEmpty();
    assertThat(blobs.contains(key(graph))).isFalse();
  }

  @Test
  @Behaviour("C2: a duplicate is rejected, with distinct errors for a running and an ended job")
  void rejectsTheSecondOfTwoConcurrentSubmissions() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    CompletableFuture<Acknowledge> first = submit(graph);
    CompletableFuture<Acknowledge> second = submit(graph);
    world.env.settle();

    assertThat(first).isCompletedWithValue(Acknowledge.INSTANCE);
    assertThat(second).isCompletedExceptionally();
  }

  @Test
  void rejectsUnreadableGraphsAndMissingJars() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    BlobKey garbage = blobs.put(Bytes.utf8("no graph"));
    CompletableFuture<Acknowledge> unreadable =
        dispatcher().submitJob(new SubmitJob(graph.id(), garbage));
    JobGraph withJar =
        graph.withJars(List.of(new JarFile("a.jar", BlobKey.of(Bytes.utf8("not there")))));
    world.env.settle();
    CompletableFuture<Acknowledge> jarMissing = submit(withJar);
    world.env.settle();

    assertThatThrownBy(() -> world.env.answer(unreadable)).hasMessageContaining("cannot be read");
    assertThatThrownBy(() -> world.env.answer(jarMissing)).hasMessageContaining("a.jar");
    assertThat(list()).isEmpty();
    assertThat(new JobStore(store, codec).all()).isEmpty();
    assertThat(blobs.contains(garbage)).isFalse();
    assertThat(blobs.contains(key(withJar))).isFalse();
  }

  @Test
  @Behaviour("C2: a job that cannot be initialised is FAILED with its cause")
  void showsWhyAJobCouldNotStart() throws IOException {
    JobGraph broken =
        new Graphs(1).vertex("a", 1).vertex("b", 1).edge(1, 0, Partitioning.HASH).build();
    world.settled(submit(broken));
    world.env.settle();

    JobDetails details = details(broken.id());
    assertThat(details.status()).isEqualTo(JobStatus.FAILED);
    assertThat(details.failures().get(0).failure().message()).contains("edge 0");
    assertThat(list()).extracting(JobOverview::status).containsExactly(JobStatus.FAILED);
  }

  @Test
  void answersWhenTheJobHasEndedOrTheWaitIsOver() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    CompletableFuture<ResultAnswer> impatient =
        dispatcher().awaitResult(new AwaitResult(graph.id(), Duration.ofSeconds(1)));
    world.env.advance(Duration.ofSeconds(1));
    assertThat(world.settled(impatient).result()).isEmpty();
    assertThat(world.settled(impatient).known()).isTrue();

    CompletableFuture<ResultAnswer> patient =
        dispatcher().awaitResult(new AwaitResult(graph.id(), Duration.ofSeconds(9)));
    finish(graph.id());
    assertThat(world.settled(patient).result().orElseThrow().status())
        .isEqualTo(JobStatus.FINISHED);
    JobId unknown = new Graphs(77).vertex("x", 1).build().id();
    assertThat(world.settled(dispatcher().awaitResult(new AwaitResult(unknown, MINUTE))).known())
        .isFalse();
  }

  @Test
  @Behaviour("C3: an ended job is archived with its history; the archive is bounded and expires")
  @Behaviour(
      "C3: the graph and the jars of an ended job are removed, with retries, unless another job"
          + " needs them")
  void archivesAFinishedJobAndRemovesItsUnsharedBlobs() throws IOException {
    BlobKey jar = blobs.put(Bytes.utf8("jar"));
    JobGraph first = Graphs.pair(1).build().withJars(List.of(new JarFile("a.jar", jar)));
    JobGraph second =
        new Graphs(2).vertex("x", 1).build().withJars(List.of(new JarFile("a.jar", jar)));
    world.settled(submit(first));
    world.settled(submit(second));

    finish(first.id());
    assertThat(blobs.contains(key(first))).isFalse();
    assertThat(blobs.contains(jar)).as("the second job needs it").isTrue();
    assertThat(new JobStore(store, codec).all())
        .extracting(StoredJob::job)
        .containsExactly(second.id());
    assertThat(details(first.id()).status()).isEqualTo(JobStatus.FINISHED);

    finish(second.id());
    assertThat(blobs.contains(jar)).isFalse();
    assertThat(history(first.id()))
        .extracting(entry -> JournalText.title(JournalEvent.of(entry)))
        .contains("job submitted", "job FINISHED", "job archived");
  }

  @Test
  @Behaviour("C3: an ended job is archived with its history; the archive is bounded and expires")
  void keepsTheHistoryOfAnEndedJobIndependentlyOfTheJournal() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    assertThat(history(graph.id())).isNotEmpty();
    finish(graph.id());
    List<JournalEntry> before = history(graph.id());

    world.env.journal().forget(graph.id());

    assertThat(history(graph.id())).isEqualTo(before).isNotEmpty();
    world.env.advance(Duration.ofHours(2));
    assertThat(history(graph.id())).isEmpty();
  }

  @Test
  @Behaviour("C3: an ended job is archived with its history; the archive is bounded and expires")
  void archivedJobsExpireBeforeTheirResults() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    finish(graph.id());

    world.env.advance(Duration.ofHours(2));

    assertThat(world.settled(dispatcher().describeJob(new DescribeJob(graph.id()))).job())
        .isEmpty();
    assertThat(
            world.settled(dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE))).result())
        .isPresent();
    CompletableFuture<Acknowledge> resubmitted = submit(graph);
    world.env.settle();
    assertThatThrownBy(() -> world.env.answer(resubmitted)).hasMessageContaining("already ended");
  }

  @Test
  @Behaviour("C3: an ended job is archived with its history; the archive is bounded and expires")
  void keepsABoundedNumberOfEndedJobs() throws IOException {
    world.settled(runner.stop());
    startDispatcher(Configuration.EMPTY.with(JobManagerOptions.JOB_STORE_MAX_CAPACITY, 2));
    for (int i = 1; i <= 3; i++) {
      JobGraph graph = new Graphs(i).vertex("x", 1).build();
      world.settled(submit(graph));
      finish(graph.id());
    }

    assertThat(list()).hasSize(2);
  }

  @Test
  void cancelDistinguishesRunningEndedAndUnknownJobs() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    JobId unknown = new Graphs(77).vertex("x", 1).build().id();

    assertThat(cancel(graph.id())).isEqualTo(CancelOutcome.ACCEPTED);
    world.env.settle();
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.CANCELED);
    assertThat(cancel(graph.id())).isEqualTo(CancelOutcome.ENDED);
    assertThat(cancel(unknown)).isEqualTo(CancelOutcome.NOT_FOUND);
  }

  @Test
  void cancelsAJobBeforeItsJobMasterRuns() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    CompletableFuture<Acknowledge> submitted = submit(graph);
    world.env.advanceUntil(MINUTE, submitted::isDone);

    CompletableFuture<DispatcherGateway.CancelReply> reply =
        lastGateway.cancelJob(new CancelJob(graph.id()));
    world.env.advance(Duration.ofSeconds(1));

    assertThat(world.env.answer(reply).outcome()).isEqualTo(CancelOutcome.ACCEPTED);
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.CANCELED);
  }

  @Test
  void servesCollectedRecordsAfterTheJobHasEnded() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    worker.collect(worker.tasks.keySet().iterator().next(), "out", Bytes.utf8("a"));
    world.env.settle();
    assertThat(fetch(graph.id(), 0).batches()).containsExactly(Bytes.utf8("a"));
    worker.collect(worker.tasks.keySet().iterator().next(), "out", Bytes.utf8("b"));
    assertThat(fetch(graph.id(), 1).batches()).containsExactly(Bytes.utf8("b"));
    CompletableFuture<DispatcherGateway.CollectedPage> last =
        dispatcher().fetchCollected(new FetchCollected(graph.id(), "out", 2, MINUTE));
    worker.all(TaskState.FINISHED);
    world.env.settle();

    assertThat(world.settled(last).complete()).isTrue();
    assertThat(world.settled(last).batches()).isEmpty();
    assertThat(fetch(graph.id(), 2).complete()).isTrue();
    assertThat(fetch(new Graphs(77).vertex("x", 1).build().id(), 0).known()).isFalse();
  }

  @Test
  @Behaviour("C1: a new leader runs the jobs that the store holds")
  void newLeaderRecoversStoredJobs() throws IOException {
    JobGraph graph = Graphs.pair(2).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");

    world.settled(runner.stop());
    assertThat(worker.dropped.get(0).ended()).isFalse();
    assertThat(new JobStore(store, codec).all()).hasSize(1);
    assertThat(blobs.contains(key(graph))).isTrue();

    startDispatcher(Configuration.EMPTY);
    assertThat(list()).extracting(JobOverview::status).containsExactly(JobStatus.RUNNING);
    finish(graph.id());
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.FINISHED);
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour("C3: a job with a stored result never runs again")
  void removesAndDoesNotRunARecoveredJobThatHasEnded() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    SubmitJob stored = new JobStore(store, codec).all().get(0).submission();
    finish(graph.id());
    // The previous leader failed after it stored the result and before it removed the job.
    blobs.put(Bytes.wrap(codec.encode(graph)));
    new JobStore(store, codec).put(stored, 1);
    world.settled(runner.stop());
    int registrations = resourceManager.registrations.size();

    startDispatcher(Configuration.EMPTY);

    assertThat(resourceManager.registrations).hasSize(registrations);
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.FINISHED);
    assertThat(new JobStore(store, codec).all()).isEmpty();
    assertThat(blobs.contains(stored.graph())).isFalse();
  }

  @Test
  @Behaviour(
      "C1: stored jobs that cannot be read end the process; nothing is deleted or marked FAILED")
  void endsTheProcessWhenStoredJobsCannotBeRead() {
    world.settled(runner.stop());
    store.failures = 1;

    startDispatcher(Configuration.EMPTY);

    assertThat(fatal).hasSize(1);
    assertThat(world.leader(ComponentNames.DISPATCHER)).isEmpty();
  }

  @Test
  @Behaviour("C3: the next leader shows ended jobs with their details and history")
  void showsJobsThatEndedUnderThePreviousLeader() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    finish(graph.id());
    JobOverview before = list().get(0);
    world.settled(runner.stop());

    startDispatcher(Configuration.EMPTY);

    assertThat(list()).containsExactly(before);
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.FINISHED);
    assertThat(details(graph.id()).endedAt()).isEqualTo(before.endedAt());
    assertThat(cancel(graph.id())).isEqualTo(CancelOutcome.ENDED);
    CompletableFuture<Acknowledge> resubmitted = submit(graph);
    world.env.settle();
    assertThatThrownBy(() -> world.env.answer(resubmitted))
        .hasMessageContaining("already ended as FINISHED");
    world.env.advance(Duration.ofHours(2));
    assertThat(list()).as("expires as if it had ended under this leader").isEmpty();
  }

  @Test
  void keepsABoundedNumberOfResults() throws IOException {
    world.settled(runner.stop());
    startDispatcher(Configuration.EMPTY.with(JobManagerOptions.JOB_STORE_MAX_CAPACITY, 1));
    for (int i = 1; i <= 12; i++) {
      JobGraph graph = new Graphs(i).vertex("x", 1).build();
      world.settled(submit(graph));
      finish(graph.id());
      world.env.advance(Duration.ofSeconds(1));
    }

    assertThat(new JobResultStore(store, codec).all())
        .extracting(EndedJob::job)
        .hasSize(10)
        .doesNotContain(new Graphs(1).build().id(), new Graphs(2).build().id())
        .contains(new Graphs(3).build().id());
  }

  @Test
  @Behaviour("C1: a recovered job with an error in itself becomes FAILED with its cause")
  void recoveredJobWithAnInvalidGraphFails() throws IOException {
    world.settled(runner.stop());
    JobGraph broken =
        new Graphs(1).vertex("a", 1).vertex("b", 1).edge(1, 0, Partitioning.HASH).build();
    new JobStore(store, codec)
        .put(new SubmitJob(broken.id(), blobs.put(Bytes.wrap(codec.encode(broken)))), 1);

    startDispatcher(Configuration.EMPTY);

    assertThat(fatal).isEmpty();
    assertThat(details(broken.id()).status()).isEqualTo(JobStatus.FAILED);
    assertThat(new JobResultStore(store, codec).find(broken.id())).isPresent();
  }

  @Test
  @Behaviour(
      "C1: stored jobs that cannot be read end the process; nothing is deleted or marked FAILED")
  void endsTheProcessAndDeletesNothingWhenAGraphIsMissing() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    world.settled(runner.stop());
    blobs.delete(key(graph));

    startDispatcher(Configuration.EMPTY);

    assertThat(fatal).hasSize(1);
    assertThat(fatal.get(0)).hasMessageContaining(key(graph).toString());
    assertThat(new JobStore(store, codec).all()).hasSize(1);
    assertThat(new JobResultStore(store, codec).all()).isEmpty();
  }

  @Test
  void doesNotMixCollectedRecordsOfTwoRuns() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    worker.collect(worker.tasks.keySet().iterator().next(), "out", Bytes.utf8("a"));
    world.env.settle();
    assertThat(fetch(graph.id(), 0).batches()).hasSize(1);
    world.settled(runner.stop());

    startDispatcher(Configuration.EMPTY);
    FakeTaskManager next = worker(graph.id(), "two");
    next.collect(next.tasks.keySet().iterator().next(), "out", Bytes.utf8("a"));
    next.collect(next.tasks.keySet().iterator().next(), "out", Bytes.utf8("b"));
    world.env.settle();

    CompletableFuture<DispatcherGateway.CollectedPage> page =
        dispatcher().fetchCollected(new FetchCollected(graph.id(), "out", 1, Duration.ZERO));
    world.env.settle();
    assertThatThrownBy(() -> world.env.answer(page)).hasMessageContaining("Run the job again");
  }

  @Test
  @Behaviour("C3: the result of a job is stored, with retries, before it is reported")
  void retriesToStoreAResult() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    store.failures = 2;
    worker.all(TaskState.FINISHED);
    world.env.settle();
    CompletableFuture<ResultAnswer> waiting =
        dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE));
    world.env.settle();
    assertThat(waiting).as("not before it is stored").isNotDone();
    assertThat(list()).extracting(JobOverview::status).containsExactly(JobStatus.FINISHED);

    world.env.advance(Duration.ofSeconds(5));

    assertThat(waiting).isDone();
    assertThat(fatal).isEmpty();
  }

  @Test
  void shutDownCancelsJobsBeforeTheProcessEnds() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    worker.obeysCancellations = false;

    world.settled(dispatcher().shutDown(new ShutDown()));
    assertThat(shutDowns).isZero();
    JobGraph tooLate = new Graphs(5).vertex("x", 1).build();
    CompletableFuture<Acknowledge> late = submit(tooLate);
    world.env.settle();
    assertThatThrownBy(() -> world.env.answer(late)).hasMessageContaining("shutting down");
    assertThat(blobs.contains(key(tooLate))).isFalse();
    worker.all(TaskState.CANCELED);
    world.env.settle();

    assertThat(shutDowns).isEqualTo(1);
    world.env.advance(MINUTE);
    assertThat(shutDowns).isEqualTo(1);
  }
}
