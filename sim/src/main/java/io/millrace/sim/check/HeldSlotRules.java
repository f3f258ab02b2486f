package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.sim.SimTaskHost;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/** Invariants of the slots that a job holds. */
final class HeldSlotRules {
  private HeldSlotRules() {}

  static final class OfferedSlotsRunNoTask extends Invariant {
    private final Map<ExecutionId, AllocationId> slots = new LinkedHashMap<>();

    OfferedSlotsRunNoTask() {
      super("A worker offers no slot in which a task still runs.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        deploy.tasks().forEach(task -> slots.put(task.task().execution(), task.slot()));
      } else if (sent.call().message() instanceof OfferSlots offer) {
        for (SimulatedWorld.Worker worker : world().workers()) {
          if (worker.name().equals(sent.from())) {
            worker.host().running().forEach(task -> check(worker, task, offer));
          }
        }
      }
    }

    private void check(SimulatedWorld.Worker worker, SimTaskHost.Task task, OfferSlots offer) {
      AllocationId in = slots.get(task.spec().execution());
      for (SlotOffer slot : offer.offers()) {
        if (slot.allocation().equals(in)) {
          throw broken(worker.name() + " offers " + in + ", in which " + task.spec() + " runs");
        }
      }
    }
  }

  /** For a slot that was never used the time counts from its acceptance. */
  static final class IdleSlotsAreKept extends Invariant {
    /** By the JobMaster and the slot. */
    private final Map<String, Long> usedAt = new LinkedHashMap<>();

    private final Map<ExecutionId, String> slots = new LinkedHashMap<>();

    IdleSlotsAreKept() {
      super("A job returns no slot before it was unused for slot.idle.timeout.");
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof OfferReply verdict
          && answered.call().token().isPresent()) {
        LeaderToken jobMaster = answered.call().token().get();
        verdict
            .accepted()
            .forEach(slot -> usedAt.putIfAbsent(jobMaster + " " + slot, world().nanos()));
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        for (TaskInSlot task : deploy.tasks()) {
          String slot = deploy.jobMaster() + " " + task.slot();
          slots.put(task.task().execution(), slot);
          usedAt.put(slot, world().nanos());
        }
      } else if (sent.call().message() instanceof FreeSlot free) {
        Duration timeout =
            world().scenario().configuration().get(JobManagerOptions.SLOT_IDLE_TIMEOUT);
        long used =
            usedAt.getOrDefault(free.jobMaster() + " " + free.allocation(), Long.MIN_VALUE / 2);
        if (world().nanos() - used < timeout.toNanos()) {
          throw broken(
              "Job "
                  + free.job()
                  + " returns "
                  + free.allocation()
                  + " "
                  + (world().nanos() - used) / 1_000_000
                  + " ms after its last use");
        }
      }
    }

    @Override
    protected void taskEnded(Fact.TaskEnded ended) {
      String slot = slots.remove(ended.task().spec().execution());
      if (slot != null) {
        usedAt.put(slot, world().nanos());
      }
    }
  }

  /**
   * If every process is reachable, this holds at any time; otherwise in a settled cluster, when the
   * slots of the job have not changed for that long. A job that misses slots keeps those that it
   * has. If its tasks finish one after the other, each slot counts from the time when it became
   * unneeded.
   */
  static final class SurplusSlotsAreReturned extends Invariant {
    private static final long SLACK = Duration.ofSeconds(2).toNanos();

    private record Requirement(long since, int slots) {}

    private final Map<JobId, Deque<Requirement>> declared = new LinkedHashMap<>();
    private final Map<JobId, Long> surplusSince = new LinkedHashMap<>();
    private final Map<JobId, Boolean> missing = new LinkedHashMap<>();
    private final Map<JobId, Long> changedAt = new LinkedHashMap<>();
    private long next;

    SurplusSlotsAreReturned() {
      super("A job holds no more slots than it needs for longer than slot.idle.timeout.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof JobMasterEvent event) {
        decided(decided.entry().job().orElseThrow(), event);
      }
    }

    private void decided(JobId job, JobMasterEvent event) {
      if (event instanceof JobMasterEvent.SlotsAccepted
          || event instanceof JobMasterEvent.WorkerLost
          || event instanceof JobMasterEvent.RestartScheduled) {
        changedAt.put(job, world().nanos());
      } else if (event instanceof JobMasterEvent.SlotsDeclared declaration) {
        declared
            .computeIfAbsent(job, x -> new ArrayDeque<>())
            .add(new Requirement(world().nanos(), declaration.required()));
      } else if (event instanceof JobMasterEvent.SlotsWanted) {
        missing.put(job, true);
      } else if (event instanceof JobMasterEvent.SlotsComplete) {
        missing.put(job, false);
      } else if (event instanceof JobMasterEvent.StatusChanged changed
          && (changed.status().isTerminal() || changed.status() == JobStatus.SUSPENDED)) {
        declared.remove(job);
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || !world().isReachable()) {
        return;
      }
      next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
      Map<JobId, Integer> held = new LinkedHashMap<>();
      for (SimulatedWorld.Worker worker : world().workers()) {
        SlotRules.occupied(worker.slots().report())
            .forEach((job, slots) -> held.merge(job, slots, Integer::sum));
      }
      long timeout =
          world().scenario().configuration().get(JobManagerOptions.SLOT_IDLE_TIMEOUT).toNanos();
      long longest = 2 * timeout + SLACK;
      for (Map.Entry<JobId, Deque<Requirement>> job : declared.entrySet()) {
        int has = held.getOrDefault(job.getKey(), 0);
        int needs = job.getValue().getLast().slots();
        if (has <= needs || missing.getOrDefault(job.getKey(), false)) {
          surplusSince.remove(job.getKey());
          continue;
        }
        long since = surplusSince.computeIfAbsent(job.getKey(), x -> world().nanos());
        if (world().nanos() - since > longest
            && has > mostSince(world().nanos() - longest, job.getValue())) {
          throw broken("Job " + job.getKey() + " needs " + needs + " slots and holds " + has);
        }
      }
    }

    /** The most slots that were required at a time or later; forgets what was before. */
    private static int mostSince(long time, Deque<Requirement> requirements) {
      Requirement first = requirements.removeFirst();
      while (!requirements.isEmpty() && requirements.getFirst().since() <= time) {
        first = requirements.removeFirst();
      }
      requirements.addFirst(first);
      return requirements.stream().mapToInt(Requirement::slots).max().orElseThrow();
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      report.jobs().values().forEach(this::check);
    }

    private void check(JobDetails job) {
      int held = job.slots().held().stream().mapToInt(JobSlots.Held::slots).sum();
      long timeout =
          world().scenario().configuration().get(JobManagerOptions.SLOT_IDLE_TIMEOUT).toNanos();
      if (!job.status().isTerminal()
          && world().nanos() - changedAt.getOrDefault(job.id(), 0L) > timeout + SLACK
          && job.slots().missing() == 0
          && held > job.slots().required()) {
        throw broken(
            "Job " + job.id() + " needs " + job.slots().required() + " slots and holds " + held);
      }
    }
  }
}
