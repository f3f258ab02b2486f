package io.millrace.sim.check;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimTaskHost;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Invariants of slots. */
final class SlotRules {
  private static final String JOB_MASTER = "jobmaster-";

  private SlotRules() {}

  /** How many slots each job has at a worker, including those that it is returning. */
  static Map<JobId, Integer> occupied(SlotReport report) {
    Map<JobId, Integer> occupied = new TreeMap<>();
    report
        .slots()
        .forEach(
            slot ->
                slot.occupant()
                    .ifPresent(occupant -> occupied.merge(occupant.job(), 1, Integer::sum)));
    report.carved().forEach(slot -> occupied.merge(slot.occupant().job(), 1, Integer::sum));
    return occupied;
  }

  /** The allocations of all occupied slots. */
  static Set<AllocationId> allocations(SlotReport report) {
    Set<AllocationId> allocations = new LinkedHashSet<>();
    report
        .slots()
        .forEach(
            slot -> slot.occupant().ifPresent(occupant -> allocations.add(occupant.allocation())));
    report.carved().forEach(slot -> allocations.add(slot.occupant().allocation()));
    return allocations;
  }

  /** Checks a worker when a task is deployed there. */
  static final class TasksFitTheirSlots extends Invariant {
    private final Set<SimTaskHost> changed = new LinkedHashSet<>();

    TasksFitTheirSlots() {
      super(
          "On each worker a slot serves one job: its tasks are in slots of their job, and all slots"
              + " fit into the worker.");
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed deployed) {
      changed.add(deployed.host());
    }

    @Override
    protected void afterEvent() {
      if (!changed.isEmpty()) {
        for (SimulatedWorld.Worker worker : world().workers()) {
          if (changed.contains(worker.host())) {
            check(worker);
          }
        }
        changed.clear();
      }
    }

    private void check(SimulatedWorld.Worker worker) {
      SlotReport report = worker.slots().report();
      Map<JobId, Integer> held = occupied(report);
      needed(worker.host())
          .forEach(
              (job, slots) -> {
                if (slots > held.getOrDefault(job, 0)) {
                  throw broken(
                      "On "
                          + worker.name()
                          + " the tasks of job "
                          + job
                          + " need "
                          + slots
                          + " slots and the job has "
                          + held.getOrDefault(job, 0));
                }
              });
      ResourceProfile used = ResourceProfile.UNSPECIFIED;
      ResourceProfile total = ResourceProfile.UNSPECIFIED;
      for (SlotReport.SlotStatus slot : report.slots()) {
        total = total.plus(slot.profile());
        used = slot.occupant().isPresent() ? used.plus(slot.profile()) : used;
      }
      for (SlotReport.CarvedSlot slot : report.carved()) {
        used = used.plus(slot.profile());
      }
      if (!total.fits(used)) {
        throw broken("Slots of " + worker.name() + " take " + used + " of " + total);
      }
    }

    /** In each slot sharing group a slot runs at most one task of a vertex. */
    private static Map<JobId, Integer> needed(SimTaskHost host) {
      Map<JobId, Map<String, Map<VertexId, Integer>>> tasks = new TreeMap<>();
      for (SimTaskHost.Task task : host.running()) {
        tasks
            .computeIfAbsent(task.job(), x -> new TreeMap<>())
            .computeIfAbsent(task.group(), x -> new TreeMap<>())
            .merge(task.spec().vertex(), 1, Integer::sum);
      }
      Map<JobId, Integer> needed = new TreeMap<>();
      tasks.forEach(
          (job, groups) ->
              groups
                  .values()
                  .forEach(
                      vertices ->
                          needed.merge(
                              job,
                              vertices.values().stream()
                                  .mapToInt(Integer::intValue)
                                  .max()
                                  .orElse(0),
                              Integer::sum)));
      return needed;
    }
  }

  static final class OfferedSlotsWereAllocated extends Invariant {
    private final Set<AllocationId> given = new LinkedHashSet<>();

    OfferedSlotsWereAllocated() {
      super("A worker offers a job only slots that a ResourceManager has allocated to it.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof RequestSlot request) {
        given.add(request.allocation());
      } else if (sent.call().message() instanceof OfferSlots offer) {
        for (SlotOffer slot : offer.offers()) {
          if (!given.contains(slot.allocation())) {
            throw broken(
                sent.from() + " offers " + slot + ", which no ResourceManager has requested");
          }
        }
      }
    }
  }

  /** Checks a moment after the result of a job was stored, if all processes are reachable. */
  static final class EndedJobsFreeTheirSlots extends Invariant {
    private static final long MOMENT = Duration.ofSeconds(2).toNanos();
    private static final String RESULTS = "results/";

    private final Map<String, Long> due = new LinkedHashMap<>();

    EndedJobsFreeTheirSlots() {
      super("While every process is reachable, the slots of an ended job are soon free.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(RESULTS) && change.value().isPresent() && world().isReachable()) {
        due.put(change.key().substring(RESULTS.length()), world().nanos() + MOMENT);
      }
    }

    @Override
    protected void afterEvent() {
      if (due.isEmpty() || due.values().iterator().next() > world().nanos()) {
        return;
      }
      String job = due.keySet().iterator().next();
      due.remove(job);
      for (SimulatedWorld.Worker worker : world().workers()) {
        boolean ending =
            worker.host().running().stream().anyMatch(task -> task.job().toString().equals(job));
        for (JobId holder : occupied(worker.slots().report()).keySet()) {
          if (holder.toString().equals(job) && !ending) {
            throw broken("Job " + job + " ended 2 s ago and has slots at " + worker.name());
          }
        }
      }
    }
  }

  /**
   * Checks the settled cluster. The slots of a JobMaster are those that it has accepted and not
   * freed since, according to its messages to workers.
   */
  static final class SlotOwnersAgree extends Invariant {
    private final Map<LeaderToken, Set<AllocationId>> accepted = new LinkedHashMap<>();
    private final Map<JobId, LeaderToken> leaders = new LinkedHashMap<>();

    /** The slots of all executions: a leader that adopts a task has accepted its slot. */
    private final Map<ExecutionId, AllocationId> slots = new LinkedHashMap<>();

    SlotOwnersAgree() {
      super(
          "In a settled cluster workers, ResourceManager and JobMasters agree on the owner of"
              + " each slot, by allocation ids.");
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof OfferReply verdict
          && answered.call().token().isPresent()) {
        of(answered.call().token().get()).addAll(verdict.accepted());
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof FreeSlot free) {
        of(free.jobMaster()).remove(free.allocation());
      } else if (sent.call().message() instanceof DeployTasks deploy) {
        // If the connection breaks, the answer to the offer is not observed.
        for (TaskInSlot task : deploy.tasks()) {
          of(deploy.jobMaster()).add(task.slot());
          slots.put(task.task().execution(), task.slot());
        }
      } else if (sent.call().message() instanceof AdoptTasks adopt) {
        adopt.executions().forEach(task -> of(adopt.jobMaster()).add(slots.get(task)));
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().startsWith(JOB_MASTER)) {
        leaders.put(
            JobId.parse(granted.component().substring(JOB_MASTER.length())), granted.token());
      }
    }

    private Set<AllocationId> of(LeaderToken leader) {
      return accepted.computeIfAbsent(leader, x -> new LinkedHashSet<>());
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      Map<String, Map<AllocationId, JobId>> real = real();
      Map<String, Map<AllocationId, JobId>> managed = new TreeMap<>();
      for (WorkerInfo worker : report.workers()) {
        Map<AllocationId, JobId> inUse = new TreeMap<>();
        worker.slotsInUse().forEach(slot -> inUse.put(slot.allocation(), slot.job()));
        managed.put(worker.worker().value(), inUse);
      }
      // A released worker may end late, if no job has a slot there.
      world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .filter(SimDriver.Started::isReleased)
          .forEach(worker -> real.remove(worker.name(), Map.of()));
      if (!real.equals(managed)) {
        throw broken("Workers have " + real + ", the ResourceManager has " + managed);
      }
      report.jobs().forEach((job, details) -> check(job, details, real));
    }

    private void check(JobId job, JobDetails details, Map<String, Map<AllocationId, JobId>> real) {
      Map<String, Integer> held = new TreeMap<>();
      for (JobSlots.Held slots : details.slots().held()) {
        held.merge(slots.worker().value(), slots.slots(), Integer::sum);
      }
      Map<String, Integer> actual = new TreeMap<>();
      real.forEach(
          (worker, slots) ->
              slots.forEach(
                  (allocation, holder) -> {
                    if (holder.equals(job)) {
                      actual.merge(worker, 1, Integer::sum);
                      checkAccepted(job, details, worker, allocation);
                    }
                  }));
      if (!details.status().isTerminal() && !held.equals(actual)) {
        throw broken("Job " + job + " has " + held + ", workers have " + actual);
      }
      if (details.status().isTerminal() && !actual.isEmpty()) {
        throw broken("Job " + job + " has ended and has slots at " + actual);
      }
    }

    private void checkAccepted(
        JobId job, JobDetails details, String worker, AllocationId allocation) {
      if (!details.status().isTerminal() && !of(leaders.get(job)).contains(allocation)) {
        throw broken(
            worker + " has " + allocation + " for job " + job + ", which has not accepted it");
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      settled(report);
      real()
          .forEach(
              (worker, slots) -> {
                if (!slots.isEmpty()) {
                  throw broken("All jobs have ended, and " + worker + " has the slots " + slots);
                }
              });
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (!worker.host().running().isEmpty()) {
          throw broken("All jobs have ended, and tasks run on " + worker.name());
        }
      }
    }

    private Map<String, Map<AllocationId, JobId>> real() {
      Map<String, Map<AllocationId, JobId>> real = new TreeMap<>();
      for (SimulatedWorld.Worker worker : world().workers()) {
        Map<AllocationId, JobId> slots = new TreeMap<>();
        SlotReport report = worker.slots().report();
        report
            .slots()
            .forEach(
                slot ->
                    slot.occupant()
                        .ifPresent(occupant -> slots.put(occupant.allocation(), occupant.job())));
        report
            .carved()
            .forEach(slot -> slots.put(slot.occupant().allocation(), slot.occupant().job()));
        real.put(worker.name(), slots);
      }
      return real;
    }
  }
}
