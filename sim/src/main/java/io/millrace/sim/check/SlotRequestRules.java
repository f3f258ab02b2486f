package io.millrace.sim.check;

import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.TaskManagerGateway.WorkerReport;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimProcess;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Invariants of the slots that a ResourceManager requests of workers. */
final class SlotRequestRules {
  private SlotRequestRules() {}

  /** Collects the slots that were granted in time; the ResourceManager ignores later answers. */
  private static final class Grants {
    private final Map<AllocationId, Long> asked = new LinkedHashMap<>();

    void sent(Fact.Sent sent, SimulatedWorld world) {
      if (sent.call().message() instanceof RequestSlot request) {
        asked.put(request.allocation(), world.nanos());
      }
    }

    /** The request that this answer grants. */
    Optional<RequestSlot> granted(Fact.Heard heard, SimulatedWorld world) {
      if (heard.call().message() instanceof RequestSlot request
          && heard.answer() instanceof Envelope.Reply reply
          && ((SlotReply) reply.message()).granted()) {
        long timeout = world.scenario().configuration().get(RpcOptions.ASK_TIMEOUT).toNanos();
        Long since = asked.remove(request.allocation());
        return since != null && world.nanos() - since < timeout
            ? Optional.of(request)
            : Optional.empty();
      }
      return Optional.empty();
    }
  }

  /**
   * A block holds under the ResourceManager that has acknowledged it, until it expires or is
   * removed. The last one counts.
   */
  static final class SlotsAreRequestedOfUsableWorkers extends Invariant {
    private final Map<String, Block> sentBlocks = new LinkedHashMap<>();

    /** The blocks that have arrived and are not acknowledged. */
    private final Set<String> arrivedBlocks = new LinkedHashSet<>();

    private final Map<String, Long> blockedUntil = new LinkedHashMap<>();

    SlotsAreRequestedOfUsableWorkers() {
      super("No slot is requested of a blocked or released worker.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof Block block) {
        sentBlocks.put(key(sent.from(), sent.to(), sent.call()), block);
      } else if (sent.call().message() instanceof RequestSlot request) {
        check(sent.to(), request);
      }
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof Block) {
        arrivedBlocks.add(key(called.from(), called.to().name(), called.call()));
      } else if (called.call().message() instanceof Unblock unblock
          && called.call().token().isPresent()) {
        blockedUntil.remove(called.call().token().get() + " " + unblock.target());
        // It takes effect after the blocks that have arrived before it, whenever it is answered.
        sentBlocks
            .entrySet()
            .removeIf(
                sent ->
                    arrivedBlocks.contains(sent.getKey())
                        && sent.getValue().target().equals(unblock.target()));
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply && answered.call().token().isPresent()) {
        answered(answered, answered.call().token().get());
      }
    }

    private void answered(Fact.Answered answered, LeaderToken resourceManager) {
      if (answered.call().message() instanceof Block) {
        String call = key(answered.to(), answered.by().name(), answered.call());
        arrivedBlocks.remove(call);
        Block block = sentBlocks.get(call);
        if (block != null) {
          blockedUntil.put(
              resourceManager + " " + block.target(), world().nanos() + block.time().toNanos());
        }
      }
    }

    private static String key(String from, String to, Envelope.Call call) {
      return from + ">" + to + " " + call.correlation();
    }

    private void check(String worker, RequestSlot request) {
      Long until = blockedUntil.get(request.resourceManager() + " " + worker);
      if (until != null && world().nanos() < until) {
        throw broken(
            "A slot is requested of "
                + worker
                + ", which is blocked for "
                + (until - world().nanos()) / 1_000_000
                + " ms more");
      }
      boolean released =
          world().driver().stream()
              .flatMap(driver -> driver.alive().stream())
              .anyMatch(started -> started.isReleased() && started.name().equals(worker));
      if (released) {
        throw broken("A slot is requested of " + worker + ", which is released");
      }
    }
  }

  /** Only grants that the same ResourceManager has received count. */
  static final class OccupiedSlotsAreNotRequested extends Invariant {
    private final Grants grants = new Grants();
    private final Map<AllocationId, LeaderToken> granted = new LinkedHashMap<>();

    OccupiedSlotsAreNotRequested() {
      super(
          "A slot that a worker has granted to a job is not requested for another one while the"
              + " job occupies it.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      grants.sent(sent, world());
      if (sent.call().message() instanceof RequestSlot request && request.slot().isPresent()) {
        for (SimulatedWorld.Worker worker : world().workers()) {
          if (worker.name().equals(sent.to())) {
            check(worker, request);
          }
        }
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      grants
          .granted(heard, world())
          .ifPresent(request -> granted.put(request.allocation(), request.resourceManager()));
    }

    private void check(SimulatedWorld.Worker worker, RequestSlot request) {
      for (SlotReport.SlotStatus slot : worker.slots().report().slots()) {
        if (slot.index() == request.slot().orElseThrow()) {
          slot.occupant()
              .filter(occupant -> !occupant.allocation().equals(request.allocation()))
              .filter(
                  occupant -> request.resourceManager().equals(granted.get(occupant.allocation())))
              .ifPresent(
                  occupant -> {
                    throw broken(
                        "Slot "
                            + slot.index()
                            + " of "
                            + worker.name()
                            + " is requested for job "
                            + request.job()
                            + " and is occupied by "
                            + occupant);
                  });
        }
      }
    }
  }

  /**
   * About slots that are carved to size; slots of equal size have numbers. The notice that a slot
   * is free may overtake a slot report. Messages that arrive at one instant, for example after a
   * partition, are executed after the last of them has arrived, in order: a notice of that instant
   * does not count.
   */
  static final class FreedSlotsStayFree extends Invariant {
    private final Map<String, Set<AllocationId>> asked = new LinkedHashMap<>();

    /** When the notice arrived that a slot is free. */
    private final Map<String, Long> freed = new LinkedHashMap<>();

    FreedSlotsStayFree() {
      super(
          "A ResourceManager does not adopt a slot as allocated after the notice that it is free.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof RequestSlot request) {
        asked
            .computeIfAbsent(sent.to() + " " + request.job(), x -> new LinkedHashSet<>())
            .add(request.allocation());
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.call().message() instanceof RequestSlot request
          && heard.answer() instanceof Envelope.Reply reply
          && !((SlotReply) reply.message()).granted()) {
        asked.get(heard.from() + " " + request.job()).remove(request.allocation());
      }
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof SlotAvailable notice) {
        freed.putIfAbsent(called.to() + " " + notice.allocation(), world().nanos());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof ResourceManagerEvent.SlotAdopted adopted
          && adopted.slot().index().isEmpty()) {
        check(decided.process(), adopted.slot().worker(), decided.entry().job().orElseThrow());
      }
    }

    private void check(SimProcess resourceManager, WorkerId worker, JobId job) {
      Set<AllocationId> all = asked.getOrDefault(worker + " " + job, Set.of());
      if (!all.isEmpty() && all.stream().allMatch(slot -> hasHeardOf(resourceManager, slot))) {
        throw broken(
            resourceManager
                + " adopts a slot of "
                + worker
                + " for job "
                + job
                + ", which freed all of them");
      }
    }

    private boolean hasHeardOf(SimProcess resourceManager, AllocationId slot) {
      return freed.getOrDefault(resourceManager + " " + slot, Long.MAX_VALUE) < world().nanos();
    }
  }

  /**
   * A job fails for missing slots only if for the timeout it got no slot and no worker registered.
   * Jobs that declare resources may fail at once. A heartbeat may overtake the answer to a request:
   * then the slot has come with the heartbeat.
   */
  static final class SlotRequestTimeoutIsRespected extends Invariant {
    private final Grants grants = new Grants();
    private final Map<JobId, Long> granted = new LinkedHashMap<>();
    private final Set<String> reported = new LinkedHashSet<>();
    private final Map<AllocationId, Asked> asked = new LinkedHashMap<>();

    /** When a heartbeat first showed the slot of a request that is not answered yet. */
    private final Map<AllocationId, Long> shown = new LinkedHashMap<>();

    private long lastReportAt = Long.MIN_VALUE / 2;

    /** The process with the newest ResourceManager. */
    private Optional<SimProcess> newest = Optional.empty();

    private record Asked(JobId job, long since) {}

    SlotRequestTimeoutIsRespected() {
      super(
          "A job fails for missing slots only if it misses some, and if none has come for"
              + " slot.request.timeout.");
    }

    @Override
    protected void granted(Fact.Granted leadership) {
      // Another ResourceManager starts, which knows no slots yet.
      if (leadership.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        reported.clear();
        granted.clear();
        newest = Optional.of(leadership.process());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      // One that was replaced and does not know it gets no slots.
      if (newest.filter(decided.process()::equals).isPresent()) {
        decided(decided.entry());
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      grants.sent(sent, world());
      if (sent.call().message() instanceof RequestSlot request) {
        asked.put(request.allocation(), new Asked(request.job(), world().nanos()));
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      grants
          .granted(heard, world())
          .ifPresent(
              request ->
                  granted.merge(
                      request.job(),
                      shown.getOrDefault(request.allocation(), world().nanos()),
                      Math::max));
      if (heard.call().message() instanceof RequestSlot request) {
        asked.remove(request.allocation());
        shown.remove(request.allocation());
      } else if (heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof WorkerReport report
          && newest.filter(heard.at()::equals).isPresent()) {
        SlotRules.allocations(report.slots()).stream()
            .filter(asked::containsKey)
            .forEach(allocation -> shown.putIfAbsent(allocation, world().nanos()));
      }
    }

    private void decided(JournalEntry entry) {
      if (entry.event() instanceof ResourceManagerEvent.TaskManagerLost) {
        reported.remove(name(entry.worker().orElseThrow()));
      } else if (entry.event() instanceof ResourceManagerEvent.SlotsReported) {
        if (reported.add(name(entry.worker().orElseThrow()))) {
          lastReportAt = world().nanos();
        }
      } else if (entry.event() instanceof ResourceManagerEvent.RequirementsFailed failed) {
        check(entry.job().orElseThrow());
        checkMissing(entry.job().orElseThrow(), failed.reason());
      }
    }

    /** A requested slot that was not granted in time is missing, too. */
    private void checkMissing(JobId job, Reason reason) {
      long timeout = world().scenario().configuration().get(RpcOptions.ASK_TIMEOUT).toNanos();
      boolean waits =
          asked.values().stream()
              .anyMatch(
                  open -> open.job().equals(job) && world().nanos() - open.since() <= timeout);
      if (!waits
          && reason instanceof SlotShortage shortage
          && shortage.held() >= shortage.required()) {
        throw broken("Job " + job + " fails and misses no slot: " + ReasonText.of(reason));
      }
    }

    private static String name(WorkerId worker) {
      return worker.value();
    }

    private void check(JobId job) {
      boolean declares =
          world().scenario().jobs().stream()
              .anyMatch(plan -> plan.id().equals(job) && plan.declaresResources());
      long last = Math.max(lastReportAt, granted.getOrDefault(job, Long.MIN_VALUE / 2));
      long timeout =
          world().scenario().configuration().get(JobManagerOptions.SLOT_REQUEST_TIMEOUT).toNanos();
      if (!declares && world().nanos() - last < timeout) {
        throw broken(
            "Job "
                + job
                + " fails, and slots were registered or granted "
                + (world().nanos() - last) / 1_000_000
                + " ms before");
      }
    }
  }
}
