package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;

import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerReleased;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.rpc.LeaderToken;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules of workers that will be taken away. */
class DrainingRulesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static LeaderToken starts(RuleTrace trace) {
    LeaderToken token = trace.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 1);
    trace.decides(JOB_MANAGER, new ResourceManagerStarted(1, List.of()));
    return token;
  }

  private static void requestsSlot(RuleTrace trace, LeaderToken resourceManager) {
    trace.sends(JOB_MANAGER, WORKER, Samples.requestSlot(resourceManager, JOB, 1));
  }

  @Test
  void noSlotIsRequestedOfAWorkerThatWillBeTakenAway() {
    RuleTrace trace = new RuleTrace(new DrainingRules.DrainingWorkersGetNoSlots());
    LeaderToken token = starts(trace);
    trace.reportsDraining(JOB_MANAGER, WORKER, SECOND.multipliedBy(20));
    requestsSlot(trace, token); // The announcement is still in the mailbox.
    trace.passes(SECOND);
    trace.isBrokenBy(() -> requestsSlot(trace, token)).hasMessageContaining("19000 ms");
    trace.passes(SECOND.multipliedBy(19));
    requestsSlot(trace, token);
  }

  @Test
  void userMayUnblockAWorkerThatWillBeTakenAway() {
    RuleTrace trace = new RuleTrace(new DrainingRules.DrainingWorkersGetNoSlots());
    LeaderToken token = starts(trace);
    trace.reportsDraining(JOB_MANAGER, WORKER, SECOND.multipliedBy(20));
    trace.arrives("client", JOB_MANAGER, trace.sends("client", JOB_MANAGER, new Unblock(WORKER)));
    trace.passes(SECOND);
    requestsSlot(trace, token);
  }

  @Test
  void nextLeaderMayNotHaveHeardOfIt() {
    RuleTrace trace = new RuleTrace(new DrainingRules.DrainingWorkersGetNoSlots());
    starts(trace);
    trace.reportsDraining(JOB_MANAGER, WORKER, SECOND.multipliedBy(20));
    LeaderToken next = starts(trace);
    trace.passes(SECOND);
    requestsSlot(trace, next);
  }

  private static RuleTrace draining() {
    RuleTrace trace = new RuleTrace(new DrainingRules.DrainingWorkersAreReleased());
    trace.worker(WORKER, 1);
    starts(trace);
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.reportsDraining(JOB_MANAGER, WORKER, SECOND.multipliedBy(5));
    trace.passes(SECOND.multipliedBy(4));
    return trace;
  }

  @Test
  void workerIsReleasedBeforeItIsTakenAway() {
    RuleTrace trace = draining();
    trace.passes(SECOND);
    trace
        .isBrokenBy(() -> trace.passes(SECOND.multipliedBy(2)))
        .hasMessageContaining("has not released");

    RuleTrace released = draining();
    released.decidesOn(JOB_MANAGER, WORKER, new WorkerReleased(new WorkerIdle(SECOND)));
    released.passes(SECOND.multipliedBy(3));
  }

  @Test
  void workerThatRegistersAgainIsReleasedToo() {
    RuleTrace trace = draining();
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerLost(new ConnectionLost("reset")));
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.isBrokenBy(() -> trace.passes(SECOND.multipliedBy(3)));
  }

  @Test
  void workerThatRegistersAfterItsTimeIsLeftToTheDriver() {
    RuleTrace trace = draining();
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerLost(new ConnectionLost("reset")));
    trace.passes(SECOND.multipliedBy(2));
    trace.decidesOn(JOB_MANAGER, WORKER, new SlotsReported(1));
    trace.passes(SECOND.multipliedBy(3));
  }
}
