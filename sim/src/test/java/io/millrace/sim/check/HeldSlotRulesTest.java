package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_WORKER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.accepts;
import static io.millrace.sim.check.Samples.deployTasks;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.details;
import static io.millrace.sim.check.Samples.execution;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.held;
import static io.millrace.sim.check.Samples.offer;
import static io.millrace.sim.check.Samples.report;
import static io.millrace.sim.check.Samples.slot;
import static io.millrace.sim.check.Samples.slots;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.rpc.Envelope;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeldSlotRulesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(50);
  private static final Configuration IDLE_TIMEOUT =
      Configuration.EMPTY.with(JobManagerOptions.SLOT_IDLE_TIMEOUT, TIMEOUT);
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);
  private static final long NUMBER = deployment(1, 1);

  private static void sendsDeployment(RuleTrace trace, int execution) {
    trace.sends(JOB_MANAGER, WORKER, deployTasks(JOB, token(1), NUMBER, task(0, 0, execution)));
  }

  @Test
  void workerOffersNoSlotWithARunningTask() {
    RuleTrace trace = new RuleTrace(new HeldSlotRules.OfferedSlotsRunNoTask());
    trace.plan(graph(1, 1));
    SimulatedWorld.Worker worker = trace.worker(WORKER, 2);
    trace.worker(OTHER_WORKER, 2);
    sendsDeployment(trace, 1);
    trace.sends(WORKER, JOB_MANAGER, offer(WORKER, 1, 1));
    trace.deploys(worker, graph(1, 1), NUMBER, task(0, 0, 1));
    trace.sends(WORKER, JOB_MANAGER, offer(WORKER, 1, 2));
    trace.sends(OTHER_WORKER, JOB_MANAGER, offer(OTHER_WORKER, 1, 1));
    trace
        .isBrokenBy(() -> trace.sends(WORKER, JOB_MANAGER, offer(WORKER, 1, 2, 1)))
        .hasMessageContaining(WORKER + " offers " + slot(1));
    worker.host().cancel(execution(1));
    trace.passes(Duration.ofSeconds(1));
    trace.sends(WORKER, JOB_MANAGER, offer(WORKER, 1, 1));
  }

  private static RuleTrace keeps() {
    return new RuleTrace(new HeldSlotRules.IdleSlotsAreKept()).plan(graph(1, 1)).with(IDLE_TIMEOUT);
  }

  private static void accepted(RuleTrace trace) {
    Envelope.Call call =
        trace.sends(WORKER, JOB_MANAGER, JOB_MASTER, Optional.of(token(1)), offer(WORKER, 1, 1));
    trace.answers(JOB_MANAGER, WORKER, call, accepts(1));
  }

  private static void returnsSlot(RuleTrace trace) {
    trace.sends(JOB_MANAGER, WORKER, new FreeSlot(JOB, token(1), slot(1), new SlotUnused()));
  }

  @Test
  void jobKeepsASlotThatItDidNotUseForTheTimeout() {
    RuleTrace trace = keeps();
    accepted(trace);
    trace.passes(TIMEOUT.minusMillis(1));
    trace.isBrokenBy(() -> returnsSlot(trace)).hasMessageContaining("49999 ms after");
    // A repeated offer does not prolong the time.
    accepted(trace);
    trace.passes(Duration.ofMillis(1));
    returnsSlot(trace);
  }

  @Test
  void deploymentAndEndOfATaskAreUses() {
    RuleTrace trace = keeps();
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    accepted(trace);
    trace.passes(TIMEOUT);
    sendsDeployment(trace, 1);
    trace.isBrokenBy(() -> returnsSlot(trace)).hasMessageContaining(" 0 ms after");
    trace.deploys(worker, graph(1, 1), NUMBER, task(0, 0, 1));
    trace.passes(TIMEOUT);
    trace.endsTask(worker, task(0, 0, 1), TaskState.CANCELED);
    trace.isBrokenBy(() -> returnsSlot(trace));
    trace.passes(TIMEOUT);
    returnsSlot(trace);
  }

  @Test
  void slotThatAnotherLeaderAcceptedMayBeReturned() {
    RuleTrace trace = keeps();
    accepted(trace);
    trace.sends(JOB_MANAGER, WORKER, new FreeSlot(JOB, token(2), slot(1), new SlotUnused()));
  }

  private static RuleTrace surplus(int held) {
    RuleTrace trace =
        new RuleTrace(new HeldSlotRules.SurplusSlotsAreReturned())
            .plan(graph(1, 2))
            .with(IDLE_TIMEOUT);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 4);
    for (int i = 0; i < held; i++) {
      worker
          .slots()
          .allocate(i, new Occupant(slot(i), JOB), ResourceProfile.UNSPECIFIED, trace.nanos());
    }
    return trace;
  }

  private static void declares(RuleTrace trace, int slots) {
    trace.decides(JOB_MANAGER, JOB, new JobMasterEvent.SlotsDeclared(slots, 0, TIMEOUT));
  }

  /** Lets time pass in steps of the interval at which the invariant checks. */
  private static void passes(RuleTrace trace, Duration time) {
    for (Duration t = Duration.ZERO; t.compareTo(time) < 0; t = t.plusMillis(500)) {
      trace.passes(Duration.ofMillis(500));
    }
  }

  @Test
  void jobReturnsSlotsThatItDoesNotNeed() {
    RuleTrace trace = surplus(3);
    declares(trace, 2);
    passes(trace, TIMEOUT.multipliedBy(2).plusSeconds(2));
    trace
        .isBrokenBy(() -> passes(trace, Duration.ofSeconds(2)))
        .hasMessageContaining("needs 2 slots and holds 3");
  }

  @Test
  void neededSlotsAreNoSurplus() {
    RuleTrace trace = surplus(3);
    declares(trace, 3);
    passes(trace, TIMEOUT.multipliedBy(3));
    // Each slot counts from the time when it became unneeded.
    declares(trace, 2);
    passes(trace, TIMEOUT.multipliedBy(2));
  }

  @Test
  void jobThatMissesSlotsOrHasEndedReturnsNone() {
    RuleTrace waiting = surplus(3);
    declares(waiting, 2);
    waiting.decides(JOB_MANAGER, JOB, new JobMasterEvent.SlotsWanted(1, 2));
    passes(waiting, TIMEOUT.multipliedBy(3));
    waiting.decides(JOB_MANAGER, JOB, new JobMasterEvent.SlotsComplete(2, 1));
    waiting.isBrokenBy(() -> passes(waiting, TIMEOUT.multipliedBy(3)));

    RuleTrace ended = surplus(3);
    declares(ended, 2);
    ended.decides(
        JOB_MANAGER, JOB, new JobMasterEvent.StatusChanged(JobStatus.FINISHED, new TasksEnded()));
    passes(ended, TIMEOUT.multipliedBy(3));
  }

  @Test
  void settledJobHoldsNoMoreThanItNeeds() {
    RuleTrace trace = surplus(0).unreachable();
    trace.decides(JOB_MANAGER, JOB, new JobMasterEvent.SlotsAccepted(1, 1, 0));
    trace.passes(TIMEOUT.plusSeconds(2));
    trace.settles(report(details(graph(1, 2), JobStatus.RUNNING, slots(2, 0, held(WORKER, 3)))));
    trace.passes(Duration.ofSeconds(1));
    trace.settles(report(details(graph(1, 2), JobStatus.RUNNING, slots(2, 0, held(WORKER, 2)))));
    trace.settles(report(details(graph(1, 2), JobStatus.RUNNING, slots(2, 1, held(WORKER, 3)))));
    trace.settles(report(details(graph(1, 2), JobStatus.FAILED, slots(2, 0, held(WORKER, 3)))));
    trace.isBrokenBy(
        () ->
            trace.settles(
                report(
                    details(
                        graph(1, 2),
                        JobStatus.RUNNING,
                        slots(2, 0, held(WORKER, 2), held(OTHER_WORKER, 1))))));
  }
}
