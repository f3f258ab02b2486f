package io.millrace.sim.check;

import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
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
   * A job fails for want of slots only where none came for its time, neither to itself nor, with
   * another worker, to anybody. Jobs that declare sizes may fail at once.
   */
  static final class SlotsAreAwaited extends Invariant {
    private final Grants grants = new Grants();
    private final Map<JobId, Long> granted = new LinkedHashMap<>();
    private final Set<String> reported = new LinkedHashSet<>();
    private long cameAt = Long.MIN_VALUE / 2;

    SlotsAreAwaited() {
      super(
          "A job fails for missing slots only when none has come for as long as it is to wait for"
              + " them.");
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
      }
    }

    private void decided(JournalEntry entry) {
      if (entry.event() instanceof ResourceManagerEvent.TaskManagerLost) {
        reported.remove(name(entry.worker().orElseThrow()));
      } else if (entry.event() instanceof ResourceManagerEvent.SlotsReported) {
        if (reported.add(name(entry.worker().orElseThrow()))) {
          cameAt = world().nanos();
        }
      } else if (entry.event() instanceof ResourceManagerEvent.RequirementsFailed) {
        check(entry.job().orElseThrow());
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
