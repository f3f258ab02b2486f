package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_WORKER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.accepts;
import static io.millrace.sim.check.Samples.deployTasks;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.details;
import static io.millrace.sim.check.Samples.ended;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.held;
import static io.millrace.sim.check.Samples.job;
import static io.millrace.sim.check.Samples.offer;
import static io.millrace.sim.check.Samples.requestSlot;
import static io.millrace.sim.check.Samples.slot;
import static io.millrace.sim.check.Samples.slots;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;
import static io.millrace.sim.check.Samples.vertex;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.rpc.Address;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlotRulesTest {
  private static final long NUMBER = deployment(1, 1);
  private static final JobGraph TWO = graph(1, 2);

  private static void occupies(SimulatedWorld.Worker worker, int index, JobId job, int slot) {
    worker.slots().allocate(index, new Occupant(slot(slot), job), ResourceProfile.UNSPECIFIED, 0);
  }

  @Test
  void tasksNeedAsManySlotsAsSubtasksOfAVertex() {
    JobGraph graph = graph(JOB, List.of(vertex(1, 2), vertex(2, 2)), List.of());
    RuleTrace trace = new RuleTrace(new SlotRules.TasksFitTheirSlots()).plan(graph);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 3);
    occupies(worker, 0, JOB, 1);
    occupies(worker, 1, job(2), 2);
    trace.deploys(worker, graph, NUMBER, task(1, 0, 0, 1), task(2, 0, 0, 2));
    trace.passes(Duration.ZERO);
    trace.deploys(worker, graph, NUMBER, task(2, 1, 0, 3));
    trace
        .isBrokenBy(() -> trace.passes(Duration.ZERO))
        .hasMessageContaining("need 2 slots and the job has 1");
  }

  @Test
  void tasksRunOnlyInSlotsOfTheirJob() {
    RuleTrace trace = new RuleTrace(new SlotRules.TasksFitTheirSlots()).plan(TWO);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    occupies(worker, 0, job(2), 1);
    trace.deploys(worker, TWO, NUMBER, task(0, 0, 1));
    trace.isBrokenBy(() -> trace.passes(Duration.ZERO)).hasMessageContaining("the job has 0");
  }

  @Test
  void carvedSlotsCountAsSlotsOfTheirJob() {
    RuleTrace trace = new RuleTrace(new SlotRules.TasksFitTheirSlots()).plan(TWO);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    worker
        .slots()
        .carve(new Occupant(slot(1), JOB), new ResourceProfile(0.5, 0, 0, 0, 0), trace.nanos());
    trace.deploys(worker, TWO, NUMBER, task(0, 0, 1));
    trace.passes(Duration.ZERO);
    trace.deploys(worker, TWO, NUMBER, task(1, 0, 2));
    trace.isBrokenBy(() -> trace.passes(Duration.ZERO));
  }

  @Test
  void offeredSlotsWereRequested() {
    RuleTrace trace = new RuleTrace(new SlotRules.OfferedSlotsWereAllocated());
    trace.sends(JOB_MANAGER, WORKER, requestSlot(token(1), JOB, 1));
    trace.sends(WORKER, JOB_MANAGER, offer(WORKER, 1, 1));
    trace
        .isBrokenBy(() -> trace.sends(WORKER, JOB_MANAGER, offer(WORKER, 1, 1, 2)))
        .hasMessageContaining("which no ResourceManager has requested");
  }

  private static RuleTrace endedWithSlot() {
    RuleTrace trace = new RuleTrace(new SlotRules.EndedJobsFreeTheirSlots()).plan(TWO);
    occupies(trace.worker(WORKER, 2), 0, JOB, 1);
    trace.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    return trace;
  }

  @Test
  void slotsOfAnEndedJobAreFreeAfterAMoment() {
    RuleTrace trace = endedWithSlot();
    trace.passes(Duration.ofMillis(1_999));
    trace
        .isBrokenBy(() -> trace.passes(Duration.ofMillis(1)))
        .hasMessageContaining("ended 2 s ago and has slots at " + WORKER);

    RuleTrace freed = endedWithSlot();
    SimulatedWorld.Worker worker = freed.workers().get(0);
    worker.slots().release(slot(1));
    worker.slots().free(slot(1));
    occupies(worker, 0, job(2), 2);
    freed.passes(Duration.ofSeconds(3));
  }

  @Test
  void taskThatStillEndsMayKeepItsSlot() {
    RuleTrace trace = endedWithSlot();
    trace.deploys(trace.workers().get(0), TWO, NUMBER, task(0, 0, 1));
    trace.passes(Duration.ofSeconds(3));
  }

  @Test
  void unreachableWorkerMayKeepSlotsOfAnEndedJob() {
    RuleTrace trace =
        new RuleTrace(new SlotRules.EndedJobsFreeTheirSlots()).plan(TWO).unreachable();
    occupies(trace.worker(WORKER, 2), 0, JOB, 1);
    trace.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    trace.passes(Duration.ofSeconds(3));
  }

  /** A cluster in which the worker has one slot for the job, which has accepted it. */
  private static RuleTrace agreed() {
    RuleTrace trace = new RuleTrace(new SlotRules.SlotOwnersAgree()).plan(TWO);
    occupies(trace.worker(WORKER, 2), 0, JOB, 1);
    LeaderToken jobMaster = trace.grants(JOB_MANAGER, ComponentNames.jobMaster(JOB), 1);
    Envelope.Call call =
        trace.sends(
            WORKER,
            JOB_MANAGER,
            ComponentNames.jobMaster(JOB),
            Optional.of(jobMaster),
            offer(WORKER, 1, 1));
    trace.answers(JOB_MANAGER, WORKER, call, accepts(1));
    return trace;
  }

  private static WorkerInfo info(String worker, int... slots) {
    List<SlotInUse> inUse = new ArrayList<>();
    for (int slot : slots) {
      inUse.add(new SlotInUse(JOB, slot(slot), ResourceProfile.UNSPECIFIED));
    }
    return new WorkerInfo(
        new WorkerId(worker),
        new Address(worker, "taskmanager"),
        worker,
        0,
        0,
        new Hardware(1, 1, 1, 1),
        ResourceProfile.UNSPECIFIED,
        ResourceProfile.UNSPECIFIED,
        2,
        2 - slots.length,
        inUse,
        ProcessMetrics.NONE);
  }

  private static SimulatedWorld.ClusterReport reported(JobDetails job, WorkerInfo... workers) {
    Map<JobId, JobDetails> jobs = new LinkedHashMap<>();
    jobs.put(job.id(), job);
    return new SimulatedWorld.ClusterReport(List.of(workers), jobs, List.of());
  }

  private static JobDetails running(int... heldAtWorker) {
    return details(
        TWO,
        JobStatus.RUNNING,
        heldAtWorker.length == 0 ? slots(1, 1) : slots(1, 0, held(WORKER, heldAtWorker[0])));
  }

  @Test
  void ownersOfASlotAgree() {
    agreed().settles(reported(running(1), info(WORKER, 1)));
  }

  @Test
  void resourceManagerKnowsTheSlotsOfWorkers() {
    RuleTrace trace = agreed();
    for (WorkerInfo wrong : List.of(info(WORKER), info(WORKER, 2), info(OTHER_WORKER, 1))) {
      trace
          .isBrokenBy(() -> trace.settles(reported(running(1), wrong)))
          .hasMessageContaining("the ResourceManager has");
    }
  }

  @Test
  void jobKnowsItsSlots() {
    RuleTrace trace = agreed();
    trace
        .isBrokenBy(() -> trace.settles(reported(running(2), info(WORKER, 1))))
        .hasMessageContaining("workers have {worker-1=1}");
    trace.isBrokenBy(() -> trace.settles(reported(running(), info(WORKER, 1))));
  }

  @Test
  void jobHasAcceptedItsSlots() {
    RuleTrace trace = agreed();
    trace.sends(JOB_MANAGER, WORKER, new FreeSlot(JOB, token(1), slot(1), new SlotUnused()));
    trace
        .isBrokenBy(() -> trace.settles(reported(running(1), info(WORKER, 1))))
        .hasMessageContaining("which has not accepted it");
    // If the connection breaks, the answer to the offer is not observed, but the deployment is.
    trace.sends(JOB_MANAGER, WORKER, deployTasks(JOB, token(1), NUMBER, task(0, 0, 1)));
    trace.settles(reported(running(1), info(WORKER, 1)));
    // The next leader has to accept the slots again.
    trace.grants(JOB_MANAGER, ComponentNames.jobMaster(JOB), 2);
    trace.isBrokenBy(() -> trace.settles(reported(running(1), info(WORKER, 1))));
  }

  @Test
  void endedJobHasNoSlots() {
    RuleTrace trace = agreed();
    trace
        .isBrokenBy(
            () ->
                trace.settles(
                    reported(details(TWO, JobStatus.FINISHED, slots(1, 0)), info(WORKER, 1))))
        .hasMessageContaining("has ended and has slots at");
  }

  @Test
  void noSlotAndNoTaskIsLeftAtTheEnd() {
    RuleTrace slot = new RuleTrace(new SlotRules.SlotOwnersAgree()).plan(TWO);
    slot.worker(WORKER, 1);
    SimulatedWorld.ClusterReport free =
        new SimulatedWorld.ClusterReport(List.of(info(WORKER)), Map.of(), List.of());
    slot.isOver(free);
    slot.deploys(slot.workers().get(0), TWO, NUMBER, task(0, 0, 1));
    slot.isBrokenBy(() -> slot.isOver(free)).hasMessageContaining("tasks run on " + WORKER);

    RuleTrace task = new RuleTrace(new SlotRules.SlotOwnersAgree()).plan(TWO);
    occupies(task.worker(WORKER, 1), 0, JOB, 1);
    task.isBrokenBy(
            () ->
                task.isOver(
                    new SimulatedWorld.ClusterReport(
                        List.of(info(WORKER, 1)), Map.of(), List.of())))
        .hasMessageContaining("All jobs have ended");
  }
}
