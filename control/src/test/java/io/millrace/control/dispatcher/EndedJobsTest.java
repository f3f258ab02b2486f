package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.JobStore;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.DispatcherGateway.JobEvents;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of ended jobs under the same and the next leader. */
class EndedJobsTest extends WithDispatcher {
  @Test
  @Behaviour("C3: the next leader shows ended jobs with their details and history")
  void nextLeaderShowsDetailsAndHistory() throws IOException {
    JobGraph graph = Graphs.pair(2).build();
    run(graph);
    JobDetails details = details(graph.id());
    List<JournalEntry> history = history(graph.id());
    assertThat(details.vertices()).allSatisfy(one -> assertThat(one.subtasks()).hasSize(2));
    assertThat(history)
        .extracting(entry -> JournalText.title(JournalEvent.of(entry)))
        .contains("job submitted", "job archived");

    takeOver();
    list();
    assertThat(archive.reads).as("archived jobs are read on request only").isZero();

    assertThat(details(graph.id())).usingRecursiveComparison().isEqualTo(details);
    assertThat(history(graph.id())).isEqualTo(history);
    assertThat(archive.reads).isEqualTo(1);
  }

  @Test
  @Behaviour("C3: the next leader shows ended jobs with their details and history")
  void leaderThatRemovesAnEndedJobShowsItsDetails() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    SubmitJob stored = new JobStore(store, codec).all().get(0).submission();
    finish(graph.id());
    JobDetails details = details(graph.id());
    published.written.clear();
    blobs.put(Bytes.wrap(codec.encode(graph)));
    new JobStore(store, codec).put(stored, 1);

    takeOver();

    assertThat(details(graph.id())).usingRecursiveComparison().isEqualTo(details);
    assertThat(published.written).extracting(ArchivedJob::job).containsExactly(graph.id());
    assertThat(published.written.get(0).details()).usingRecursiveComparison().isEqualTo(details);
  }

  @Test
  @Behaviour("C3: the next leader shows ended jobs with their details and history")
  void leaderThatHasNotReadTheArchiveYetShowsNothingElse() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    SubmitJob stored = new JobStore(store, codec).all().get(0).submission();
    finish(graph.id());
    JobDetails details = details(graph.id());
    List<JournalEntry> history = history(graph.id());
    blobs.put(Bytes.wrap(codec.encode(graph)));
    new JobStore(store, codec).put(stored, 1);
    world.settled(runner.stop());
    archive.reads = 0;
    world.env.ioTime = Duration.ofSeconds(1);
    startDispatcher(Configuration.EMPTY);
    world.env.advanceUntil(MINUTE, () -> world.leader(ComponentNames.DISPATCHER).isPresent());
    assertThat(archive.reads).isZero();
    DispatcherGateway next = dispatcher();

    CompletableFuture<JobEvents> shownHistory = next.readJournal(new ReadJournal(graph.id()));
    CompletableFuture<JobAnswer> shown = next.describeJob(new DescribeJob(graph.id()));

    world.env.advanceUntil(MINUTE, () -> shown.isDone() && shownHistory.isDone());
    assertThat(shownHistory.join().history().events()).isEqualTo(history);
    assertThat(shown.join().job().orElseThrow()).usingRecursiveComparison().isEqualTo(details);
  }

  @Test
  @Behaviour("C3: details and history of a job are stored before its end is reported")
  void archivesDetailsAndHistoryBeforeTheEndIsReported() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    CompletableFuture<ResultAnswer> result =
        dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE));
    world.env.ioTime = Duration.ofMillis(100);
    worker.all(TaskState.FINISHED);

    world.env.advanceUntil(MINUTE, () -> result.isDone() || !archive.list().isEmpty());

    assertThat(result).isNotDone();
    world.env.advanceUntil(MINUTE, result::isDone);
    assertThat(archive.list()).containsExactly(graph.id());
  }

  @Test
  void doesNotReportAnEndThatCannotBeStored() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    CompletableFuture<ResultAnswer> result =
        dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE.multipliedBy(60)));
    world.env.settle();
    store.failures = Integer.MAX_VALUE;
    worker.all(TaskState.FINISHED);

    world.env.advanceUntil(MINUTE, () -> result.isDone() || !fatal.isEmpty());

    assertThat(fatal).as("another process may be able to store it").hasSize(1);
    world.env.settle();
    assertThat(result).isNotDone();
    assertThat(archive.list()).isEmpty();
  }

  @Test
  @Behaviour(
      "C3: the archive skips damaged, foreign and outdated files; their jobs are shown with their"
          + " results")
  void jobWithAMissingOrDamagedArchiveFileIsShownWithItsResult() throws IOException {
    JobGraph first = run(new Graphs(1).vertex("x", 1).build());
    JobGraph second = run(new Graphs(2).vertex("x", 1).build());
    List<JobOverview> before = list();
    archive.remove(first.id());
    archive.put(second.id(), Bytes.utf8("something else"));

    takeOver();

    assertThat(list()).isEqualTo(before);
    for (JobId job : List.of(first.id(), second.id())) {
      assertThat(details(job).status()).isEqualTo(JobStatus.FINISHED);
      assertThat(details(job).vertices()).isEmpty();
      assertThat(history(job)).isEmpty();
    }
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour("C3: a job ends even if its archive file cannot be written")
  void jobEndsIfItsArchiveFileCannotBeWrittenAndTheWriteIsRetried() throws IOException {
    archive.failures = 2;
    JobGraph first = run(new Graphs(1).vertex("x", 1).build());
    assertThat(new JobStore(store, codec).all()).isEmpty();
    assertThat(details(first.id()).vertices()).hasSize(1);
    assertThat(history(first.id())).isNotEmpty();
    JobGraph second = run(new Graphs(2).vertex("x", 1).build());
    assertThat(archive.list()).hasSize(1);

    JobGraph third = run(new Graphs(3).vertex("x", 1).build());

    assertThat(archive.list()).containsExactly(first.id(), second.id(), third.id());
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "C3: the history file of an ended job is written with retries, and nothing else waits for it")
  void writesAnEndedJobForTheHistoryServerWithRetries() throws IOException {
    published.failures = 3;
    JobGraph graph = run(Graphs.pair(1).build());
    assertThat(new JobStore(store, codec).all())
        .as("the stored job is removed without waiting")
        .isEmpty();
    assertThat(published.written).isEmpty();

    world.env.advance(Duration.ofSeconds(5));

    assertThat(published.written).extracting(ArchivedJob::job).containsExactly(graph.id());
    ArchivedJob written = published.written.get(0);
    assertThat(written.ended().overview()).isEqualTo(list().get(0));
    assertThat(written.history().events()).isEqualTo(history(graph.id()));
  }

  @Test
  @Behaviour(
      "C3: the history file of an ended job is written with retries, and nothing else waits for it")
  void stopsRetryingAHistoryThatCannotBeWritten() throws IOException {
    published.failures = Integer.MAX_VALUE;
    JobGraph graph = run(Graphs.pair(1).build());
    world.env.advance(MINUTE);

    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.FINISHED);
    assertThat(fatal).isEmpty();
    assertThat(Integer.MAX_VALUE - published.failures).as("attempts").isEqualTo(6);
  }

  @Test
  @Behaviour(
      "C3: the history file of an ended job is written with retries, and nothing else waits for it")
  void dispatcherStopsAfterARunningWriteOfTheHistory() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    CompletableFuture<ResultAnswer> result =
        dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE));
    world.env.ioTime = Duration.ofMillis(100);
    worker.all(TaskState.FINISHED);
    world.env.advanceUntil(MINUTE, result::isDone);

    CompletableFuture<Void> stopped = runner.stop();
    world.env.advanceUntil(MINUTE, stopped::isDone);

    assertThat(published.written).hasSize(1);
  }

  private JobGraph run(JobGraph graph) throws IOException {
    world.settled(submit(graph));
    finish(graph.id());
    return graph;
  }

  private void takeOver() {
    world.settled(runner.stop());
    startDispatcher(Configuration.EMPTY);
    archive.reads = 0;
  }
}
