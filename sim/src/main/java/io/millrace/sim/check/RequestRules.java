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

/** What holds of the slots that a ResourceManager asks of workers. */
final class RequestRules {
  private RequestRules() {}

  /** Hears which slots were granted in time: later answers are nobody's any more. */
  private static final class Grants {
    private final Map<AllocationId, Long> asked = new LinkedHashMap<>();

    /** The request that is granted with this, if any is. */
    Optional<RequestSlot> granted(Fact fact, SimulatedWorld world) {
      if (fact instanceof Fact.Sent sent && sent.call().message() instanceof RequestSlot request) {
        asked.put(request.allocation(), world.nanos());
      } else if (fact instanceof Fact.Heard heard
          && heard.call().message() instanceof RequestSlot request
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

  /** Whether another ResourceManager begins, which knows nothing yet. */
  private static boolean isNew(Fact fact) {
    return fact instanceof Fact.Granted granted
        && granted.component().equals(ComponentNames.RESOURCE_MANAGER);
  }

  /**
   * A block holds under the ResourceManager that has acknowledged it, from then on for its time or
   * until it is lifted; the last one counts.
   */
  static final class UsableWorkersAreAsked extends Invariant {
    private final Map<String, Block> meant = new LinkedHashMap<>();
    private final Map<String, Long> blockedUntil = new LinkedHashMap<>();

    UsableWorkersAreAsked() {
      super("No slot is asked of a worker that is blocked or that was told to go.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent && sent.call().message() instanceof Block block) {
        meant.put(sent.from() + ">" + sent.to() + " " + sent.call().correlation(), block);
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof Unblock unblock
          && called.call().token().isPresent()) {
        blockedUntil.remove(called.call().token().get() + " " + unblock.target());
      } else if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply
          && answered.call().token().isPresent()) {
        answered(answered, answered.call().token().get());
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof RequestSlot request) {
        check(sent.to(), request);
      }
    }

    private void answered(Fact.Answered answered, LeaderToken resourceManager) {
      if (answered.call().message() instanceof Block) {
        Block block =
            meant.get(
                answered.to() + ">" + answered.by().name() + " " + answered.call().correlation());
        if (block != null) {
          blockedUntil.put(
              resourceManager + " " + block.target(), world().nanos() + block.time().toNanos());
        }
      }
    }

    private void check(String worker, RequestSlot request) {
      Long until = blockedUntil.get(request.resourceManager() + " " + worker);
      if (until != null && world().nanos() < until) {
        throw broken(
            "A slot is asked of "
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
        throw broken("A slot is asked of " + worker + ", which was told to go");
      }
    }
  }

  /** Known is what was granted to the same ResourceManager, and heard there. */
  static final class TakenSlotsAreNotAskedFor extends Invariant {
    private final Grants grants = new Grants();
    private final Map<AllocationId, LeaderToken> granted = new LinkedHashMap<>();

    TakenSlotsAreNotAskedFor() {
      super(
          "A slot that a worker has given to a job is not asked for again as long as the worker has"
              + " not taken it back.");
    }

    @Override
    protected void seen(Fact fact) {
      grants
          .granted(fact, world())
          .ifPresent(request -> granted.put(request.allocation(), request.resourceManager()));
      if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof RequestSlot request
          && request.slot().isPresent()) {
        for (SimulatedWorld.Worker worker : world().workers()) {
          if (worker.name().equals(sent.to())) {
            check(worker, request);
          }
        }
      }
    }

    private void check(SimulatedWorld.Worker worker, RequestSlot request) {
      for (SlotReport.SlotStatus slot : worker.slots().report().slots()) {
        if (slot.index() == request.slot().orElseThrow()) {
          slot.occupant()
              .filter(who -> !who.allocation().equals(request.allocation()))
              .filter(who -> request.resourceManager().equals(granted.get(who.allocation())))
              .ifPresent(
                  who -> {
                    throw broken(
                        "Slot "
                            + slot.index()
                            + " of "
                            + worker.name()
                            + " is asked for job "
                            + request.job()
                            + " and was given to "
                            + who);
                  });
        }
      }
    }
  }

  /**
   * Of slots that are carved to size, since the equal ones have numbers. What a worker says of its
   * slots may have been overtaken by the notice that one of them is free.
   */
  static final class FreedSlotsStayFree extends Invariant {
    private final Map<String, Set<AllocationId>> asked = new LinkedHashMap<>();
    private final Set<String> freed = new LinkedHashSet<>();

    FreedSlotsStayFree() {
      super("A ResourceManager takes no slot for given that it has heard to be free again.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent && sent.call().message() instanceof RequestSlot request) {
        asked
            .computeIfAbsent(sent.to() + " " + request.job(), x -> new LinkedHashSet<>())
            .add(request.allocation());
      } else if (fact instanceof Fact.Heard heard
          && heard.call().message() instanceof RequestSlot request
          && heard.answer() instanceof Envelope.Reply reply
          && !((SlotReply) reply.message()).granted()) {
        asked.get(heard.from() + " " + request.job()).remove(request.allocation());
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof SlotAvailable notice) {
        freed.add(called.to() + " " + notice.allocation());
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof ResourceManagerEvent.SlotAdopted adopted
          && adopted.slot().index().isEmpty()) {
        check(decided.process(), adopted.slot().worker(), decided.entry().job().orElseThrow());
      }
    }

    private void check(SimProcess resourceManager, WorkerId worker, JobId job) {
      Set<AllocationId> all = asked.getOrDefault(worker + " " + job, Set.of());
      if (!all.isEmpty()
          && all.stream().allMatch(slot -> freed.contains(resourceManager + " " + slot))) {
        throw broken(
            resourceManager + " takes a slot of " + worker + " for that of " + job + ", all free");
      }
    }
  }

  /**
   * A job fails for want of slots only where none came for its time, neither to itself nor, with
   * another worker, to anybody. Jobs that declare sizes may fail at once.
   */
  static final class SlotsAreAwaited extends Invariant {
    private final Grants grants = new Grants();
    private final Map<JobId, Long> granted = new LinkedHashMap<>();
    private final Set<String> reported = new LinkedHashSet<>();
    private final Map<AllocationId, Asked> asked = new LinkedHashMap<>();
    private long cameAt = Long.MIN_VALUE / 2;

    private record Asked(JobId job, long since) {}

    SlotsAreAwaited() {
      super(
          "A job fails for missing slots only when it misses some, and when none has come for as"
              + " long as it is to wait for them.");
    }

    @Override
    protected void seen(Fact fact) {
      if (isNew(fact)) {
        reported.clear();
        granted.clear();
      }
      grants
          .granted(fact, world())
          .ifPresent(request -> granted.put(request.job(), world().nanos()));
      if (fact instanceof Fact.Decided decided) {
        decided(decided.entry());
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof RequestSlot request) {
        asked.put(request.allocation(), new Asked(request.job(), world().nanos()));
      } else if (fact instanceof Fact.Heard heard
          && heard.call().message() instanceof RequestSlot request) {
        asked.remove(request.allocation());
      }
    }

    private void decided(JournalEntry entry) {
      if (entry.event() instanceof ResourceManagerEvent.TaskManagerLost) {
        reported.remove(name(entry.worker().orElseThrow()));
      } else if (entry.event() instanceof ResourceManagerEvent.SlotsReported) {
        if (reported.add(name(entry.worker().orElseThrow()))) {
          cameAt = world().nanos();
        }
      } else if (entry.event() instanceof ResourceManagerEvent.RequirementsFailed failed) {
        check(entry.job().orElseThrow());
        checkMissing(entry.job().orElseThrow(), failed.reason());
      }
    }

    /** Also a slot that was asked for and not given in time is missing. */
    private void checkMissing(JobId job, Reason reason) {
      long timeout = world().scenario().configuration().get(RpcOptions.ASK_TIMEOUT).toNanos();
      boolean waits =
          asked.values().stream()
              .anyMatch(
                  open -> open.job().equals(job) && world().nanos() - open.since() <= timeout);
      if (!waits
          && reason instanceof SlotShortage shortage
          && shortage.held() >= shortage.required()) {
        throw broken("Job " + job + " fails and misses nothing: " + ReasonText.of(reason));
      }
    }

    private static String name(WorkerId worker) {
      return worker.value();
    }

    private void check(JobId job) {
      boolean declares =
          world().scenario().jobs().stream()
              .anyMatch(plan -> plan.id().equals(job) && plan.declaresResources());
      long last = Math.max(cameAt, granted.getOrDefault(job, Long.MIN_VALUE / 2));
      long patience =
          world().scenario().configuration().get(JobManagerOptions.SLOT_REQUEST_TIMEOUT).toNanos();
      if (!declares && world().nanos() - last < patience) {
        throw broken(
            "Job "
                + job
                + " fails, and slots came "
                + (world().nanos() - last) / 1_000_000
                + " ms before");
      }
    }
  }
}
