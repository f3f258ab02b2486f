package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.ha.NewestTerm;
import io.millrace.control.testing.EndedJobs;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CancelReply;
import io.millrace.protocol.DispatcherGateway.ShutDown;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.StoredJob;
import io.millrace.rpc.Acknowledge;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of the cancellation of jobs across leaders. */
class CancelledJobsTest extends WithDispatcher {
  private final JobGraph graph = Graphs.pair(2).build();

  @Test
  @Behaviour(
      "C2: a cancellation is stored before it is acknowledged; if it cannot be stored, the caller"
          + " gets an error and the job runs on")
  void acknowledgesACancellationAfterItIsStored() throws IOException {
    runOnStubbornWorker();
    store.failures = 2;
    CompletableFuture<CancelReply> reply = dispatcher().cancelJob(new CancelJob(graph.id()));
    world.env.settle();
    assertThat(reply).isNotDone();
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.RUNNING);

    world.env.advance(Duration.ofSeconds(5));

    assertThat(world.env.answer(reply).outcome()).isEqualTo(CancelOutcome.ACCEPTED);
    assertThat(isStoredAsCancelled()).isTrue();
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.CANCELLING);
  }

  @Test
  @Behaviour(
      "C2: a cancellation is stored before it is acknowledged; if it cannot be stored, the caller"
          + " gets an error and the job runs on")
  void reportsAnErrorIfACancellationCannotBeStored() throws IOException {
    runOnStubbornWorker();
    store.failures = Integer.MAX_VALUE;
    CompletableFuture<CancelReply> reply = dispatcher().cancelJob(new CancelJob(graph.id()));
    world.env.advance(Duration.ofSeconds(9));

    assertThatThrownBy(() -> world.env.answer(reply))
        .hasMessageContaining("The store is not available");
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.RUNNING);
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour("C1: the next leader ends a cancelled job and does not run it again")
  void nextLeaderEndsACancelledJob() throws IOException {
    runOnStubbornWorker();
    assertThat(cancel(graph.id())).isEqualTo(CancelOutcome.ACCEPTED);
    world.settled(runner.stop());
    resourceManager.departures.clear();

    startDispatcher(Configuration.EMPTY);

    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.CANCELED);
    assertThat(new JobStore(store, codec).all()).isEmpty();
    assertThat(resourceManager.departures)
        .as("the ResourceManager may have requirements of the job")
        .anySatisfy(notice -> assertThat(notice.ended()).isTrue());
  }

  @Test
  @Behaviour(
      "G1: a former leader that does not know its successor acknowledges neither a job nor a"
          + " cancellation")
  void formerLeaderAcknowledgesNothing() throws IOException {
    runOnStubbornWorker();
    DispatcherGateway old = dispatcher();
    long term = world.leader(ComponentNames.DISPATCHER).orElseThrow().token().term();
    new NewestTerm(store).begin(term + 1);

    CompletableFuture<CancelReply> cancelled = old.cancelJob(new CancelJob(graph.id()));
    CompletableFuture<Acknowledge> accepted = submit(new Graphs(77).vertex("x", 1).build());
    world.env.advance(Duration.ofSeconds(9));

    assertThatThrownBy(() -> world.env.answer(cancelled)).hasMessageContaining("has taken over");
    assertThatThrownBy(() -> world.env.answer(accepted)).hasMessageContaining("has taken over");
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  @Behaviour("C3: if a result is stored already, the Dispatcher reports that result")
  void reportsTheStoredResultInsteadOfItsOwn() throws IOException {
    world.settled(submit(graph));
    EndedJob before = EndedJobs.of(graph.id(), JobStatus.FAILED, 50);
    new JobResultStore(store, codec).put(before, 1);

    finish(graph.id());

    assertThat(
            world.settled(dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE))).result())
        .contains(before.result());
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour("C1: the next leader ends a cancelled job and does not run it again")
  void shutDownStoresTheCancellationOfItsJobs() throws IOException {
    runOnStubbornWorker();
    world.settled(dispatcher().shutDown(new ShutDown()));
    world.env.settle();

    assertThat(isStoredAsCancelled()).isTrue();
  }

  @Test
  @Behaviour("C2: a cluster that is shut down removes what its jobs have stored")
  void shutDownWaitsUntilTheDataOfItsJobsIsRemoved() throws IOException {
    world.settled(submit(graph));
    worker(graph.id(), "one");
    store.failingDeletions = 1;

    world.settled(dispatcher().shutDown(new ShutDown()));
    world.env.settle();
    assertThat(shutDowns).as("the job is stored").isZero();
    world.env.advance(Duration.ofSeconds(5));

    assertThat(shutDowns).isOne();
    assertThat(new JobStore(store, codec).all()).isEmpty();
  }

  @Test
  void shutDownDoesNotWaitForAStoreThatFails() throws IOException {
    world.settled(submit(graph));
    worker(graph.id(), "one");
    store.failingDeletions = Integer.MAX_VALUE;

    world.settled(dispatcher().shutDown(new ShutDown()));
    world.env.advance(MINUTE);

    assertThat(shutDowns).isOne();
  }

  @Test
  @Behaviour(
      "C2: a cancellation is stored before it is acknowledged; if it cannot be stored, the caller"
          + " gets an error and the job runs on")
  void cancelsAJobThatIsStillBeingStored() throws IOException {
    world.env.ioTime = Duration.ofSeconds(1);
    submit(graph);
    CompletableFuture<CancelReply> reply = lastGateway.cancelJob(new CancelJob(graph.id()));
    world.env.advance(MINUTE);

    assertThat(world.env.answer(reply).outcome()).isEqualTo(CancelOutcome.ACCEPTED);
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.CANCELED);
  }

  /** Runs the job on a worker that does not end its tasks. */
  private void runOnStubbornWorker() throws IOException {
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    worker.obeysCancellations = false;
  }

  private boolean isStoredAsCancelled() {
    return new JobStore(store, codec)
        .all().stream().filter(job -> job.job().equals(graph.id())).anyMatch(StoredJob::cancelled);
  }
}
