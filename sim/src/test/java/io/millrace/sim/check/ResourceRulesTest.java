package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.EMPTY_REPORT;
import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.details;
import static io.millrace.sim.check.Samples.ended;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.report;
import static io.millrace.sim.check.Samples.slots;
import static io.millrace.sim.check.Samples.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.blob.BlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.DelegationTokens;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.ClientReply;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.StoredJob;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.reason.JobReason.ClientTimeout;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.SlotReason.MoreWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import io.millrace.sim.SimTokens;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.SimJob;
import io.millrace.worker.blobcache.BlobCacheStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rules of what jobs leave behind, and of what they wait for. */
class ResourceRulesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Bytes JAR = Bytes.utf8("program.jar");
  private static final JobGraph WITH_JAR =
      graph(1, 1).withJars(List.of(new JarFile("jar", BlobKey.of(JAR))));
  private static final Bytes GRAPH = Bytes.utf8("graph");

  // Stored jobs.

  private static BlobStore blobs(RuleTrace trace) {
    return trace.blobs().view(trace.blobs().shared());
  }

  private static void storesJob(RuleTrace trace) {
    trace.stores("jobs/" + JOB, new StoredJob(new SubmitJob(JOB, BlobKey.of(GRAPH)), false));
  }

  @Test
  void storedJobHasItsGraphAndItsJars() throws IOException {
    RuleTrace trace = new RuleTrace(new StoreRules.StoredJobsAreComplete()).plan(WITH_JAR);
    storesJob(trace);
    trace.isBrokenBy(() -> trace.passes(SECOND)).hasMessageContaining("the graph");
    blobs(trace).put(GRAPH);
    trace.isBrokenBy(() -> trace.passes(SECOND)).hasMessageContaining("the jar");
    blobs(trace).put(JAR);
    trace.passes(SECOND);
    blobs(trace).delete(BlobKey.of(JAR));
    trace.isBrokenBy(() -> trace.passes(SECOND));
  }

  @Test
  void endedOrRemovedJobNeedsNoJars() throws IOException {
    RuleTrace ended = new RuleTrace(new StoreRules.StoredJobsAreComplete()).plan(WITH_JAR);
    blobs(ended).put(GRAPH);
    storesJob(ended);
    ended.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    ended.passes(SECOND);

    RuleTrace removed = new RuleTrace(new StoreRules.StoredJobsAreComplete()).plan(WITH_JAR);
    storesJob(removed);
    removed.removes("jobs/" + JOB);
    removed.passes(SECOND);
  }

  private static void submits(RuleTrace trace) {
    trace.arrives(
        "client",
        JOB_MANAGER,
        trace.sends("client", JOB_MANAGER, new SubmitJob(JOB, BlobKey.of(GRAPH))));
  }

  @Test
  void nothingOfAnEndedJobStaysStored() throws IOException {
    RuleTrace trace = new RuleTrace(new StoreRules.EndedJobsAreRemovedFromStorage()).plan(WITH_JAR);
    submits(trace);
    trace.isOver(EMPTY_REPORT);
    blobs(trace).put(JAR);
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining("The jar");
    blobs(trace).put(GRAPH);
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining("The graph");
    // The client stores the graph before a submission that is refused.
    submits(trace);
    trace.isOver(EMPTY_REPORT);
    storesJob(trace);
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining("are stored");
  }

  // Jars of running tasks.

  private static void receives(SimulatedWorld.Worker worker, Bytes content) throws IOException {
    BlobCacheStore.Incoming incoming = worker.blobs().receive(BlobKey.of(JAR));
    incoming.append(content);
    incoming.complete();
  }

  @Test
  void runningTaskHasItsJars() throws IOException {
    RuleTrace trace = new RuleTrace(new BlobRules.TasksHaveTheirJars()).plan(WITH_JAR);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace
        .isBrokenBy(() -> trace.deploys(worker, WITH_JAR, deployment(1, 1), task(0, 0, 1)))
        .hasMessageContaining("without");
    receives(worker, JAR);
    trace.deploys(worker, WITH_JAR, deployment(1, 1), task(0, 0, 2));
    trace.passes(SECOND);
    worker.blobs().delete(BlobKey.of(JAR));
    trace.isBrokenBy(() -> trace.passes(SECOND)).hasMessageContaining("without");
  }

  @Test
  void jarThatArrivedDamagedIsMissing() {
    RuleTrace trace = new RuleTrace(new BlobRules.TasksHaveTheirJars()).plan(WITH_JAR);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    assertThatThrownBy(() -> receives(worker, Bytes.utf8("program.jaR")))
        .isInstanceOf(IOException.class);
    trace
        .isBrokenBy(() -> trace.deploys(worker, WITH_JAR, deployment(1, 1), task(0, 0, 1)))
        .hasMessageContaining("without");
  }

  @Test
  void noWorkerHasBlobsAtTheEnd() throws IOException {
    RuleTrace trace = new RuleTrace(new BlobRules.TasksHaveTheirJars()).plan(WITH_JAR);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.isOver(EMPTY_REPORT);
    receives(worker, JAR);
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining(WORKER);
  }

  // Delegation tokens.

  private static final Duration LIFETIME = Duration.ofSeconds(60);

  /** The time in which a cluster renews its tokens once. */
  private static final Duration RENEWAL =
      LIFETIME.dividedBy(2).plus(SimTokens.HANGING).plusSeconds(11);

  private static void issues(RuleTrace trace, SimulatedWorld.Worker worker) {
    DelegationTokens tokens =
        trace.tokens().orElseThrow().of(trace.process(JOB_MANAGER), worker.tokens());
    for (String service : tokens.obtainable()) {
      tokens.receive(service, tokens.obtain(service).orElseThrow().content());
    }
  }

  // Clients.

  private static final Duration TIMEOUT = Duration.ofSeconds(40);
  private static final JobGraph ATTACHED = graph(1, 1).withClientTimeout(TIMEOUT);

  private static void beats(RuleTrace trace, boolean expected) {
    trace.answers(
        JOB_MANAGER,
        "client",
        trace.sends("client", JOB_MANAGER, new ClientHeartbeat(JOB)),
        new ClientReply(true, expected));
  }

  private static void losesClient(RuleTrace trace) {
    trace.decides(JOB_MANAGER, JOB, new ClientLost(new ClientTimeout(true, TIMEOUT, TIMEOUT)));
  }

  private static RuleTrace attached(JobGraph graph) {
    return new RuleTrace(new ClientRules.AttachedJobsEndWithTheirClient()).plan(graph);
  }

  @Test
  void clientIsLostOnlyAfterItsTimeout() {
    RuleTrace trace = attached(ATTACHED).unreachable();
    losesClient(trace);
    beats(trace, true);
    trace.passes(TIMEOUT.dividedBy(2));
    trace.isBrokenBy(() -> losesClient(trace)).hasMessageContaining("PT20S ago");
    // A process that was frozen cannot tell how long.
    trace.passes(TIMEOUT.dividedBy(4));
    losesClient(trace);
    beats(trace, false);
    losesClient(trace);
  }

  @Test
  void frozenTimeDoesNotCount() {
    RuleTrace trace = attached(ATTACHED).unreachable();
    beats(trace, true);
    trace.process(JOB_MANAGER).freeze();
    trace.passes(TIMEOUT);
    trace.process(JOB_MANAGER).thaw();
    trace.isBrokenBy(() -> losesClient(trace));
  }

  @Test
  void livingClientThatIsReachableIsNotLost() {
    RuleTrace trace = attached(ATTACHED).with(new ClientAction.ClientDies(TIMEOUT, 0));
    trace.isBrokenBy(() -> losesClient(trace)).hasMessageContaining("lives and is reachable");
    trace.passes(TIMEOUT);
    losesClient(trace);
  }

  @Test
  void detachedJobHasNoClientToLose() {
    RuleTrace trace = attached(graph(1, 1));
    trace.isBrokenBy(() -> losesClient(trace)).hasMessageContaining("no client timeout");
  }

  @Test
  void jobOfADeadClientEnds() {
    RuleTrace trace = attached(ATTACHED).with(new ClientAction.ClientDies(SECOND, 0));
    JobDetails running = details(ATTACHED, JobStatus.RUNNING, slots(1, 0));
    trace.settles(report(running));
    trace.passes(SECOND);
    for (JobStatus status : JobStatus.values()) {
      boolean ends =
          status.isTerminal() || status == JobStatus.CANCELLING || status == JobStatus.FAILING;
      if (ends) {
        trace.settles(report(details(ATTACHED, status, slots(1, 0))));
      } else {
        trace
            .isBrokenBy(() -> trace.settles(report(details(ATTACHED, status, slots(1, 0)))))
            .hasMessageContaining("is " + status);
      }
    }
  }

  // Cluster partitions.

  private static final DataSetId DATA_SET = new DataSetId(new Id128(8, 1));

  private static RuleTrace keeping(Invariant rule) {
    JobVertex plain = Samples.vertex(1, 1);
    JobGraph graph =
        graph(
            JOB,
            List.of(
                new JobVertex(
                    plain.id(),
                    plain.name(),
                    1,
                    128,
                    "default",
                    plain.operators(),
                    List.of(DATA_SET))),
            List.of());
    RuleTrace trace =
        new RuleTrace(rule)
            .plan(
                new SimJob(
                    graph,
                    new io.millrace.sim.SimTaskHost.Behaviour(
                        Duration.ofMillis(1), 0, Duration.ofMillis(1))));
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.deploys(worker, graph, deployment(3, 1), task(0, 0, 1));
    trace.passes(SECOND);
    worker.host().keep(3, List.of(Samples.execution(1)));
    assertThat(worker.host().kept()).hasSize(1);
    return trace;
  }

  private static SimulatedWorld.ClusterReport tracked(long term, DataSetInfo.Placed... placed) {
    return new SimulatedWorld.ClusterReport(
        List.of(), Map.of(), List.of(new DataSetInfo(DATA_SET, JOB, term, 1, List.of(placed))));
  }

  private static DataSetInfo.Placed at(String worker) {
    return new DataSetInfo.Placed(0, new WorkerId(worker), worker);
  }

  @Test
  void trackedPartitionsAreThoseOfWorkers() {
    RuleTrace trace = keeping(new PartitionRules.TrackedPartitionsExist());
    trace.settles(tracked(3, at(WORKER)));
    for (SimulatedWorld.ClusterReport wrong :
        List.of(EMPTY_REPORT, tracked(3), tracked(2, at(WORKER)), tracked(3, at("worker-2")))) {
      trace
          .isBrokenBy(() -> trace.settles(wrong))
          .hasMessageContaining("the ResourceManager tracks");
    }
  }

  @Test
  void noPartitionIsLeftAtTheEnd() {
    RuleTrace trace = keeping(new PartitionRules.TrackedPartitionsExist());
    trace
        .isBrokenBy(() -> trace.isOver(tracked(3, at(WORKER))))
        .hasMessageContaining("All data sets were deleted");
    SimulatedWorld.Worker worker = trace.workers().get(0);
    worker.host().drop(worker.host().kept());
    trace.isOver(EMPTY_REPORT);
  }

  // Reasons.

  private static SlotShortage shortage(int required, int held, int workers, int slots) {
    return new SlotShortage(
        required,
        held,
        Optional.empty(),
        new SlotSupply(
            workers, slots, 0, 0, ResourceProfile.UNSPECIFIED, ResourceProfile.UNSPECIFIED),
        List.of(),
        Optional.empty(),
        List.of(new MoreWorkersNeeded()));
  }

  private static JobDetails waiting(int required, int missing) {
    return details(graph(1, 4), JobStatus.RUNNING, slots(required, missing));
  }

  private static void describes(RuleTrace trace, JobDetails job) {
    trace.answers(
        JOB_MANAGER,
        "client",
        trace.sends("client", JOB_MANAGER, new DescribeJob(JOB)),
        new JobAnswer(Optional.of(job)));
  }

  private static RuleTrace reasons() {
    RuleTrace trace = new RuleTrace(new ReasonRules.UnmetRequirementHasReason()).plan(graph(1, 4));
    trace.worker(WORKER, 2);
    return trace;
  }

  @Test
  void jobHasAReasonExactlyWhileItMissesSlots() {
    RuleTrace trace = reasons();
    describes(trace, waiting(4, 0));
    trace
        .isBrokenBy(() -> describes(trace, waiting(4, 2)))
        .hasMessageContaining("misses slots and has no reason");
    describes(trace, waiting(4, 2).withWaitingFor(shortage(4, 2, 1, 2)));
    trace
        .isBrokenBy(() -> describes(trace, waiting(4, 0).withWaitingFor(shortage(4, 4, 1, 2))))
        .hasMessageContaining("misses no slots and has the reason");
    // A job that ends does not wait.
    describes(trace, details(graph(1, 4), JobStatus.FAILING, slots(4, 2)));
  }

  @Test
  void reasonOfASettledJobHasTheActualNumbers() {
    RuleTrace trace = reasons();
    trace.settles(report(waiting(4, 2).withWaitingFor(shortage(4, 2, 1, 2))));
    for (SlotShortage wrong :
        List.of(
            shortage(5, 3, 1, 2),
            shortage(4, 1, 1, 2),
            shortage(4, 2, 2, 2),
            shortage(4, 2, 1, 3))) {
      trace
          .isBrokenBy(() -> trace.settles(report(waiting(4, 2).withWaitingFor(wrong))))
          .as(wrong.toString())
          .isInstanceOf(Invariant.Broken.class);
    }
    trace.isBrokenBy(
        () -> trace.settles(report(waiting(4, 2).withWaitingFor(new MoreWorkersNeeded()))));
  }

  @Test
  void reasonMayBeOldForAMinuteAfterAChangeOfWorkers() {
    RuleTrace trace = reasons();
    trace.passes(SECOND);
    JobDetails old = waiting(4, 2).withWaitingFor(shortage(4, 2, 9, 9));
    trace.passes(Duration.ofSeconds(59));
    describes(trace, old);
    trace.worker("worker-2", 2);
    trace.passes(SECOND);
    trace.passes(Duration.ofSeconds(59));
    describes(trace, old);
    trace.passes(Duration.ofSeconds(2));
    trace.isBrokenBy(() -> describes(trace, old));
  }

  @Test
  void countsOfSlotsAreConsistent() {
    RuleTrace trace = reasons();
    trace.decides(JOB_MANAGER, JOB, new SlotsDeclared(3, 0, SECOND));
    trace.decides(JOB_MANAGER, JOB, new SlotsDeclared(3, 3, SECOND));
    trace.decides(JOB_MANAGER, JOB, new SlotsAccepted(2, 1, 0));
    for (Record wrong :
        List.of(
            new SlotsDeclared(3, 4, SECOND),
            new SlotsDeclared(3, -1, SECOND),
            new SlotsAccepted(1, 1, -1))) {
      trace
          .isBrokenBy(() -> trace.decides(JOB_MANAGER, JOB, wrong))
          .hasMessageContaining("inconsistent counts");
    }
  }

  @Test
  void registeredWorkerHasTheNewestToken() {
    RuleTrace trace = new RuleTrace(new TokenRules.TokensAreFresh());
    trace.with(new SimTokens(trace.simulation(), LIFETIME));
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 1);
    trace.passes(SECOND);
    trace.passes(RENEWAL);
    // A worker that is not registered needs no token.
    trace.passes(SECOND);
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.passes(SECOND);
    trace.isBrokenBy(() -> trace.passes(SECOND)).hasMessageContaining("has a token that is");
    issues(trace, worker);
    trace.passes(SECOND);
    trace.passes(SECOND);
    issues(trace, trace.worker("worker-2", 1));
    trace.passes(SECOND);
    trace
        .isBrokenBy(() -> trace.passes(SECOND))
        .hasMessageContaining("has token 1 and the newest is 2");
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerLost(new ConnectionLost("reset")));
    trace.passes(SECOND);
  }

  @Test
  void expiredTokenIsFound() {
    RuleTrace trace = new RuleTrace(new TokenRules.TokensAreFresh());
    trace.with(new SimTokens(trace.simulation(), LIFETIME));
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.passes(SECOND);
    trace.passes(RENEWAL.minus(SECOND));
    issues(trace, worker);
    trace.passes(LIFETIME);
    trace
        .isBrokenBy(() -> trace.passes(SECOND))
        .hasMessageContaining("has a token that is " + LIFETIME.plusSeconds(1).toMillis());
    // The next ResourceManager has not registered the worker yet.
    trace.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 2);
    trace.passes(SECOND);
  }
}
