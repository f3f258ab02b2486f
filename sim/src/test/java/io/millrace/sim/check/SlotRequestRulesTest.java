package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_WORKER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.instance;
import static io.millrace.sim.check.Samples.job;
import static io.millrace.sim.check.Samples.requestSlot;
import static io.millrace.sim.check.Samples.slot;
import static io.millrace.sim.check.Samples.token;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.PartitionReport;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.TaskManagerGateway.WorkerReport;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsFailed;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotAdopted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.LeaderChanged;
import io.millrace.protocol.reason.SlotReason.MoreWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.SlotPlace;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlotRequestRulesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final Configuration OPTIONS =
      Configuration.EMPTY
          .with(RpcOptions.ASK_TIMEOUT, ANSWER)
          .with(JobManagerOptions.SLOT_REQUEST_TIMEOUT, TIMEOUT);

  private static Envelope.Call requests(RuleTrace trace, int slot) {
    return requests(trace, token(1), slot);
  }

  private static Envelope.Call requests(RuleTrace trace, LeaderToken leader, int slot) {
    return trace.sends(JOB_MANAGER, WORKER, requestSlot(leader, JOB, slot));
  }

  private static void asksResourceManager(RuleTrace trace, Record message) {
    trace.exchange(
        OTHER_JOB_MANAGER, JOB_MANAGER, Optional.of(token(1)), message, new Acknowledge());
  }

  @Test
  void noSlotIsRequestedOfABlockedWorker() {
    RuleTrace trace = new RuleTrace(new SlotRequestRules.SlotsAreRequestedOfUsableWorkers());
    asksResourceManager(trace, new Block(WORKER, SECOND.multipliedBy(10), "disk"));
    trace.sends(JOB_MANAGER, OTHER_WORKER, requestSlot(token(1), JOB, 1));
    // The block holds under the ResourceManager that has acknowledged it.
    requests(trace, token(2), 2);
    trace.passes(SECOND);
    trace.isBrokenBy(() -> requests(trace, 3)).hasMessageContaining("blocked for 9000 ms more");
    trace.passes(SECOND.multipliedBy(9));
    requests(trace, 4);
  }

  @Test
  void blockEndsWhenItIsRemoved() {
    RuleTrace trace = new RuleTrace(new SlotRequestRules.SlotsAreRequestedOfUsableWorkers());
    asksResourceManager(trace, new Block(WORKER, SECOND, "disk"));
    trace.isBrokenBy(() -> requests(trace, 1));
    asksResourceManager(trace, new Unblock(WORKER));
    requests(trace, 2);
  }

  @Test
  void blockThatWasNotAcknowledgedDoesNotCount() {
    RuleTrace trace = new RuleTrace(new SlotRequestRules.SlotsAreRequestedOfUsableWorkers());
    Envelope.Call call =
        trace.sends(
            OTHER_JOB_MANAGER,
            JOB_MANAGER,
            ComponentNames.RESOURCE_MANAGER,
            Optional.of(token(1)),
            new Block(WORKER, SECOND, "disk"));
    requests(trace, 1);
    trace.refuses(JOB_MANAGER, OTHER_JOB_MANAGER, call);
    requests(trace, 2);
  }

  private static RuleTrace occupied() {
    RuleTrace trace =
        new RuleTrace(new SlotRequestRules.OccupiedSlotsAreNotRequested())
            .plan(graph(1, 1))
            .with(OPTIONS);
    Envelope.Call call = requests(trace, 1);
    trace
        .worker(WORKER, 1)
        .slots()
        .allocate(0, new Occupant(slot(1), JOB), ResourceProfile.UNSPECIFIED, 0);
    trace.hears(JOB_MANAGER, WORKER, call, SlotReply.allocated());
    return trace;
  }

  @Test
  void grantedSlotIsNotRequestedForAnotherAllocation() {
    RuleTrace trace = occupied();
    requests(trace, 1);
    trace.isBrokenBy(() -> requests(trace, 2)).hasMessageContaining("is occupied by");
    // Another ResourceManager does not know the grant.
    requests(trace, token(2), 3);
    SimulatedWorld.Worker worker = trace.workers().get(0);
    worker.slots().release(slot(1));
    worker.slots().free(slot(1));
    requests(trace, 4);
  }

  @Test
  void grantAfterTheTimeoutOfItsRequestDoesNotCount() {
    RuleTrace trace =
        new RuleTrace(new SlotRequestRules.OccupiedSlotsAreNotRequested()).with(OPTIONS);
    Envelope.Call call = requests(trace, 1);
    trace
        .worker(WORKER, 1)
        .slots()
        .allocate(0, new Occupant(slot(1), JOB), ResourceProfile.UNSPECIFIED, 0);
    trace.passes(ANSWER);
    trace.hears(JOB_MANAGER, WORKER, call, SlotReply.allocated());
    requests(trace, 2);
  }

  private static void frees(RuleTrace trace, int slot) {
    trace.arrives(
        WORKER,
        JOB_MANAGER,
        trace.sends(
            WORKER, JOB_MANAGER, new SlotAvailable(new WorkerId(WORKER), instance(1), slot(slot))));
  }

  private static void adopts(RuleTrace trace, Optional<Integer> index) {
    trace.decides(
        JOB_MANAGER,
        JOB,
        new SlotAdopted(new SlotPlace(new WorkerId(WORKER), index, ResourceProfile.UNSPECIFIED)));
  }

  @Test
  void freedCarvedSlotIsNotAdopted() {
    RuleTrace trace = new RuleTrace(new SlotRequestRules.FreedSlotsStayFree());
    requests(trace, 1);
    requests(trace, 2);
    frees(trace, 1);
    trace.passes(SECOND);
    // The other slot may be the one.
    adopts(trace, Optional.empty());
    frees(trace, 2);
    // Messages of one instant are executed in order.
    adopts(trace, Optional.empty());
    trace.passes(SECOND);
    adopts(trace, Optional.of(0));
    trace
        .isBrokenBy(() -> adopts(trace, Optional.empty()))
        .hasMessageContaining("which freed all of them");
  }

  @Test
  void refusedSlotDoesNotExist() {
    RuleTrace trace = new RuleTrace(new SlotRequestRules.FreedSlotsStayFree());
    requests(trace, 1);
    trace.hears(JOB_MANAGER, WORKER, requests(trace, 2), SlotReply.refused(new LeaderChanged()));
    frees(trace, 1);
    trace.passes(SECOND);
    trace.isBrokenBy(() -> adopts(trace, Optional.empty()));
  }

  private static RuleTrace timeout() {
    RuleTrace trace =
        new RuleTrace(new SlotRequestRules.SlotRequestTimeoutIsRespected())
            .plan(graph(1, 2))
            .with(OPTIONS);
    trace.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 1);
    return trace;
  }

  private static void fails(RuleTrace trace, int held) {
    trace.decides(
        JOB_MANAGER,
        JOB,
        new RequirementsFailed(
            new SlotShortage(
                2,
                held,
                Optional.of(TIMEOUT),
                new SlotSupply(
                    1, 1, 0, 0, ResourceProfile.UNSPECIFIED, ResourceProfile.UNSPECIFIED),
                List.of(),
                Optional.empty(),
                List.of(new MoreWorkersNeeded()))));
  }

  @Test
  void jobFailsOnlyIfNoSlotHasComeForTheTimeout() {
    RuleTrace trace = timeout();
    fails(trace, 1);
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.passes(TIMEOUT.minusMillis(1));
    trace.isBrokenBy(() -> fails(trace, 1)).hasMessageContaining("299999 ms before");
    // A repeated report of a known worker brings no slots.
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.passes(Duration.ofMillis(1));
    fails(trace, 1);
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerLost(new ConnectionLost("reset")));
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.isBrokenBy(() -> fails(trace, 1));
  }

  @Test
  void grantedSlotProlongsTheWait() {
    RuleTrace trace = timeout();
    Envelope.Call late = requests(trace, 1);
    trace.passes(ANSWER);
    trace.hears(JOB_MANAGER, WORKER, late, SlotReply.allocated());
    fails(trace, 1);
    Envelope.Call call = requests(trace, 2);
    trace.hears(JOB_MANAGER, WORKER, call, SlotReply.allocated());
    trace.isBrokenBy(() -> fails(trace, 1)).hasMessageContaining(" 0 ms before");
    trace.passes(TIMEOUT);
    fails(trace, 1);
  }

  @Test
  void heartbeatThatShowsTheSlotCountsAsItsArrival() {
    RuleTrace trace = timeout();
    Envelope.Call call = requests(trace, 1);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    worker.slots().allocate(0, new Occupant(slot(1), JOB), ResourceProfile.UNSPECIFIED, 0);
    trace.hears(
        JOB_MANAGER,
        WORKER,
        trace.sends(JOB_MANAGER, WORKER, new AskWorker(token(1), instance(1))),
        new WorkerReport(worker.slots().report(), PartitionReport.NOTHING, ProcessMetrics.NONE));
    trace.passes(ANSWER.dividedBy(2));
    trace.hears(JOB_MANAGER, WORKER, call, SlotReply.allocated());
    trace.passes(TIMEOUT.minus(ANSWER.dividedBy(2)));
    fails(trace, 1);
  }

  @Test
  void jobThatMissesNoSlotDoesNotFail() {
    RuleTrace trace = timeout();
    trace.isBrokenBy(() -> fails(trace, 2)).hasMessageContaining("misses no slot");
    // A requested slot that was not granted is missing, too.
    requests(trace, 1);
    fails(trace, 2);
    trace.passes(ANSWER.plusMillis(1));
    trace.isBrokenBy(() -> fails(trace, 2));
  }

  @Test
  void replacedResourceManagerDoesNotCount() {
    RuleTrace trace = timeout();
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.grants(OTHER_JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 2);
    fails(trace, 1);
  }

  @Test
  void jobThatDeclaresResourcesMayFailAtOnce() {
    RuleTrace trace =
        new RuleTrace(new SlotRequestRules.SlotRequestTimeoutIsRespected())
            .plan(graph(1, 2).withResources(Map.of("default", new ResourceProfile(9, 0, 0, 0, 0))))
            .plan(Samples.graph(job(2), List.of(Samples.vertex(1, 1)), List.of()))
            .with(OPTIONS);
    trace.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 1);
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    fails(trace, 1);
  }
}
