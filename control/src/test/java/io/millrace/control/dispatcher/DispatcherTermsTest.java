package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.control.testing.ManualElection;
import io.millrace.control.testing.SmallCluster;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.Jobs;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.leader.Leader;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of terms of the Dispatcher and of storage errors. */
class DispatcherTermsTest extends WithDispatcher {
  private static final LeaderToken FIRST = new LeaderToken(Long.MAX_VALUE - 1, new Id128(1, 1));
  private static final LeaderToken SECOND = new LeaderToken(Long.MAX_VALUE, new Id128(2, 2));

  @Test
  @Behaviour(
      "G1: an endpoint does not execute a call with another fencing token and names both tokens in"
          + " its answer")
  void doesNotExecuteCallsWithAnotherToken() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    LeaderToken otherToken = SmallCluster.unknownToken();
    DispatcherGateway fenced =
        world.gateway(
            DispatcherGateway.class,
            world.leader(ComponentNames.DISPATCHER).orElseThrow(),
            otherToken);

    CompletableFuture<Jobs> jobs = fenced.listJobs(new ListJobs());
    CompletableFuture<Acknowledge> resubmitted =
        fenced.submitJob(new SubmitJob(graph.id(), key(graph)));
    world.env.settle();

    assertThatThrownBy(() -> world.env.answer(jobs)).hasMessageContaining(otherToken.toString());
    assertThat(resubmitted).isCompletedExceptionally();
    assertThat(list()).hasSize(1);
  }

  @Test
  @Behaviour("C1: loss of leadership suspends jobs and deletes nothing")
  void lostLeadershipSuspendsJobsAndDeletesNothing() throws IOException {
    ManualElection election = electManually();
    election.grant(FIRST);
    world.env.settle();
    JobGraph graph = Graphs.pair(1).build();
    blobs.put(Bytes.wrap(codec.encode(graph)));
    world.settled(at(FIRST).submitJob(new SubmitJob(graph.id(), key(graph))));
    FakeTaskManager worker = worker(graph.id(), "one");

    election.revoke();
    world.env.settle();
    CompletableFuture<Jobs> late = at(FIRST).listJobs(new ListJobs());
    world.env.settle();

    assertThat(late).isCompletedExceptionally();
    assertThat(worker.dropped).hasSize(1);
    assertThat(worker.dropped.get(0).ended()).isFalse();
    assertThat(world.leader(ComponentNames.jobMaster(graph.id()))).isEmpty();
    assertThat(new JobStore(store, codec).all()).hasSize(1);
    assertThat(new JobResultStore(store, codec).all()).isEmpty();
    assertThat(blobs.contains(key(graph))).isTrue();

    election.grant(SECOND);
    world.env.settle();

    assertThat(world.settled(at(SECOND).listJobs(new ListJobs())).jobs())
        .extracting(JobOverview::status)
        .containsExactly(JobStatus.RUNNING);
    assertThat(world.leader(ComponentNames.jobMaster(graph.id()))).isPresent();
    assertThat(fatal).isEmpty();
  }

  /** The stop waits for the history of an ended job, and the submission is stored meanwhile. */
  @Test
  @Behaviour(
      "C1: a job that is stored when its Dispatcher has lost its term runs under the next one")
  void jobThatIsStoredAfterTheTermIsLeftToTheNextLeader() throws IOException {
    ManualElection election = electManually();
    election.grant(FIRST);
    world.env.settle();
    JobGraph ending = Graphs.pair(1).build();
    JobGraph submitted = new Graphs(2).vertex("source", 1).build();
    blobs.put(Bytes.wrap(codec.encode(ending)));
    blobs.put(Bytes.wrap(codec.encode(submitted)));
    world.settled(at(FIRST).submitJob(new SubmitJob(ending.id(), key(ending))));
    FakeTaskManager worker = worker(ending.id(), "one");

    world.env.ioTime = Duration.ofSeconds(4);
    worker.all(TaskState.FINISHED);
    world.env.advance(Duration.ofSeconds(2));
    CompletableFuture<Acknowledge> submission =
        at(FIRST).submitJob(new SubmitJob(submitted.id(), key(submitted)));
    world.env.advance(Duration.ofSeconds(7));
    assertThat(new JobStore(store, codec).contains(submitted.id())).isFalse();
    election.revoke();
    world.env.advance(Duration.ofSeconds(2));
    assertThat(new JobStore(store, codec).all()).hasSize(2);
    assertThat(submission).isCompletedExceptionally();
    assertThat(world.leader(ComponentNames.jobMaster(submitted.id()))).isEmpty();

    world.env.ioTime = Duration.ZERO;
    election.grant(SECOND);
    world.env.advance(Duration.ofSeconds(10));
    finish(submitted.id());

    assertThat(
            world
                .settled(at(SECOND).awaitResult(new AwaitResult(submitted.id(), MINUTE)))
                .result()
                .map(JobResult::status))
        .contains(JobStatus.FINISHED);
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "C1: a storage error while a recovered job starts ends the process and marks nothing FAILED")
  void storageErrorAtTheStartOfARecoveredJobEndsTheProcess() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    world.settled(runner.stop());
    // Recovery finds no result; the JobMaster reads it once more before it starts.
    store.unreadable = key -> key.startsWith("results/");

    startDispatcher(Configuration.EMPTY);

    assertThat(fatal).hasSize(1);
    assertThat(fatal.get(0))
        .hasMessageContaining(graph.id().toString())
        .hasMessageContaining("cannot be read from storage");
    store.unreadable = key -> false;
    assertThat(new JobResultStore(store, codec).all()).isEmpty();
    assertThat(new JobStore(store, codec).all()).hasSize(1);
    assertThat(blobs.contains(key(graph))).isTrue();
    assertThat(list()).extracting(JobOverview::status).doesNotContain(JobStatus.FAILED);
  }

  @Test
  @Behaviour(
      "C3: the graph and the jars of an ended job are removed, with retries, unless another job"
          + " needs them")
  void retriesTheRemovalOfAStoredJob() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    store.failingDeletions = 3;
    finish(graph.id());
    assertThat(
            world.settled(dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE))).result())
        .as("the result does not wait for the removal")
        .isPresent();
    assertThat(new JobStore(store, codec).all()).hasSize(1);

    world.env.advance(Duration.ofSeconds(5));

    assertThat(new JobStore(store, codec).all()).isEmpty();
    assertThat(blobs.contains(key(graph))).isFalse();
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour("C3: a job with a stored result never runs again")
  void endedJobThatCouldNotBeRemovedDoesNotRunAgain() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    store.failingDeletions = Integer.MAX_VALUE;
    finish(graph.id());
    world.env.advance(MINUTE);
    assertThat(new JobStore(store, codec).all()).hasSize(1);
    world.settled(runner.stop());
    store.failingDeletions = 0;
    int registrations = resourceManager.registrations.size();

    startDispatcher(Configuration.EMPTY);

    assertThat(resourceManager.registrations).hasSize(registrations);
    assertThat(details(graph.id()).status()).isEqualTo(JobStatus.FINISHED);
    assertThat(new JobStore(store, codec).all()).as("removed by the next leader").isEmpty();
  }

  /** The test elects the Dispatcher; JobMasters are elected as usual. */
  private ManualElection electManually() {
    world.settled(runner.stop());
    ManualElection election = new ManualElection();
    startDispatcher(
        new ClusterServices(
            world.rpc,
            (component, mailbox, contender) ->
                component.equals(ComponentNames.DISPATCHER)
                    ? election.contend(component, mailbox, contender)
                    : world.leaders.contend(component, mailbox, contender),
            world.leaders,
            Configuration.EMPTY));
    return election;
  }

  private DispatcherGateway at(LeaderToken token) {
    return world.gateway(
        DispatcherGateway.class,
        new Leader(new Address(world.rpc.address(), ComponentNames.DISPATCHER), token));
  }
}
