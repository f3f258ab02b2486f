package io.millrace.protocol.text;

import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Durations;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.id.SlotId;
import io.millrace.protocol.reason.SlotReason;
import io.millrace.protocol.reason.SlotReason.AllocationOccupied;
import io.millrace.protocol.reason.SlotReason.AnswerPending;
import io.millrace.protocol.reason.SlotReason.ExternalResourcesMissing;
import io.millrace.protocol.reason.SlotReason.LargerWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.LimitReached;
import io.millrace.protocol.reason.SlotReason.MachineTooSmall;
import io.millrace.protocol.reason.SlotReason.MissingSize;
import io.millrace.protocol.reason.SlotReason.MoreWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.NoWorkerFits;
import io.millrace.protocol.reason.SlotReason.RegisteredWorkersTooSmall;
import io.millrace.protocol.reason.SlotReason.ResourceLimit;
import io.millrace.protocol.reason.SlotReason.ResourceManagerMissing;
import io.millrace.protocol.reason.SlotReason.SlotIndexUnknown;
import io.millrace.protocol.reason.SlotReason.SlotNotAccepted;
import io.millrace.protocol.reason.SlotReason.SlotOccupied;
import io.millrace.protocol.reason.SlotReason.SlotOfferTimeout;
import io.millrace.protocol.reason.SlotReason.SlotPlace;
import io.millrace.protocol.reason.SlotReason.SlotRequestRefused;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.reason.SlotReason.SlotSizeMissing;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import io.millrace.protocol.reason.SlotReason.SlotTooSmall;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.protocol.reason.SlotReason.StartedWorkerTooSmall;
import io.millrace.protocol.reason.SlotReason.TotalExceeded;
import java.util.List;
import java.util.stream.Collectors;

/** The sentences of {@link SlotReason}. */
final class SlotReasonText {
  private SlotReasonText() {}

  static String of(SlotReason reason) {
    if (reason instanceof SlotShortage shortage) {
      return shortage(shortage);
    } else if (reason instanceof NoWorkerFits never) {
      return "The job needs "
          + Plural.of(never.required(), "slot")
          + " of "
          + never.profile()
          + ". "
          + ReasonText.of(never.cause());
    } else if (reason instanceof RegisteredWorkersTooSmall small) {
      return "None of the "
          + small.workers()
          + " registered TaskManagers is that large; the largest has "
          + small.largest()
          + ". Start larger TaskManagers or lower the resources the job declares.";
    } else if (reason instanceof StartedWorkerTooSmall small) {
      return "A TaskManager that is started here has only "
          + small.total()
          + ". Give TaskManagers more or lower the resources the job declares.";
    } else if (reason instanceof ExternalResourcesMissing missing) {
      return "A TaskManager that is started here has "
          + orNothing(missing.available())
          + " of external resources. Lower the resources the job declares.";
    } else if (reason instanceof MachineTooSmall small) {
      return machine(small);
    } else if (reason instanceof LargerWorkersNeeded larger) {
      return larger
              .largest()
              .map(most -> "None is large enough; the largest has " + most + ". ")
              .orElse("")
          + "Start TaskManagers with at least "
          + larger.needed()
          + " or lower the resources the job declares.";
    } else if (reason instanceof MoreWorkersNeeded) {
      return "Start more TaskManagers or lower the parallelism.";
    } else if (reason instanceof LimitReached reached) {
      return limit(reached);
    } else if (reason instanceof ResourceManagerMissing waits) {
      return "Waiting for "
          + waits.missing()
          + " of "
          + Plural.of(waits.required(), "slot")
          + "; no ResourceManager is connected yet.";
    } else if (reason instanceof AnswerPending waits) {
      return "Waiting for "
          + waits.missing()
          + " of "
          + Plural.of(waits.required(), "slot")
          + " from the ResourceManager.";
    } else if (reason instanceof SlotRequestRefused refused) {
      return place(refused.slot()) + " was refused: " + ReasonText.of(refused.cause());
    } else if (reason instanceof SlotIndexUnknown unknown) {
      return "There is no slot " + unknown.index() + ", only 0 to " + (unknown.slots() - 1) + ".";
    } else if (reason instanceof SlotOccupied occupied) {
      return "Slot " + occupied.index() + " is " + state(occupied.releasing()) + ".";
    } else if (reason instanceof AllocationOccupied occupied) {
      return "Allocation "
          + occupied.allocation()
          + " has "
          + occupied
              .index()
              .map(SlotReasonText::slot)
              .orElseGet(() -> slotOfSize(occupied.profile()))
          + ", which is "
          + state(occupied.releasing())
          + ".";
    } else if (reason instanceof SlotTooSmall small) {
      return "Slot "
          + small.index()
          + " has "
          + small.profile()
          + ", which has no room for "
          + small.needed()
          + ".";
    } else if (reason instanceof SlotSizeMissing) {
      return "A slot without an index needs a size.";
    } else if (reason instanceof TotalExceeded exceeded) {
      return "There is no room for "
          + exceeded
              .index()
              .map(SlotReasonText::slot)
              .orElseGet(() -> slotOfSize(exceeded.profile()))
          + ": "
          + orNothing(exceeded.left())
          + " is left of "
          + exceeded.total()
          + ", "
          + exceeded.profile().minus(exceeded.left())
          + " too little.";
    } else if (reason instanceof SlotUnused) {
      return "The job does not need the slot.";
    } else if (reason instanceof SlotNotAccepted) {
      return "The job did not accept the slot.";
    } else if (reason instanceof SlotOfferTimeout) {
      return "The job did not accept the slot in time.";
    } else {
      throw new IllegalArgumentException("No text for " + reason.getClass());
    }
  }

  static String place(SlotPlace slot) {
    return slot.index()
        .map(index -> "Slot " + new SlotId(slot.worker(), index))
        .orElseGet(() -> "A slot of " + slot.profile() + " at " + slot.worker());
  }

  private static String slotOfSize(ResourceProfile profile) {
    return "a slot of " + profile;
  }

  private static String slot(int index) {
    return "slot " + index;
  }

  private static String shortage(SlotShortage shortage) {
    return "The job needs "
        + Plural.of(shortage.required(), "slot")
        + " and has "
        + shortage.held()
        + shortage
            .waited()
            .map(
                waited ->
                    " after "
                        + Durations.readable(waited)
                        + " in which none came ("
                        + JobManagerOptions.SLOT_REQUEST_TIMEOUT.key()
                        + ")")
            .orElse("")
        + "; "
        + supply(shortage.supply(), shortage.sizes())
        + shortage.refusal().map(refusal -> " " + ReasonText.of(refusal)).orElse("")
        + " "
        + ReasonText.of(shortage.outlook());
  }

  private static String supply(SlotSupply supply, List<MissingSize> sizes) {
    if (supply.workers() == 0) {
      return "no TaskManager is registered.";
    }
    String workers = Plural.of(supply.workers(), "TaskManager");
    if (sizes.isEmpty()) {
      return supply.slots()
          + " "
          + Plural.is(supply.slots())
          + " registered by "
          + workers
          + ", "
          + supply.free()
          + " of them free."
          + blocked(supply.blocked());
    }
    int missing = sizes.stream().mapToInt(MissingSize::slots).sum();
    return sizes.stream()
            .map(size -> Plural.of(size.slots(), "slot") + " of " + size.profile())
            .collect(Collectors.joining(" and "))
        + " "
        + Plural.is(missing)
        + " missing, and "
        + workers
        + " "
        + Plural.has(supply.workers())
        + " "
        + orNothing(supply.left())
        + " left of "
        + supply.total()
        + "."
        + blocked(supply.blocked());
  }

  private static String blocked(int slots) {
    if (slots == 0) {
      return "";
    }
    return " "
        + slots
        + " more would be free, but "
        + (slots == 1 ? "its TaskManager is" : "their TaskManagers are")
        + " blocked (`millrace cluster block` lists why).";
  }

  private static String machine(MachineTooSmall small) {
    return small
            .needed()
            .map(
                process ->
                    "A TaskManager for one would take "
                        + process.cpuCores()
                        + " cpu and "
                        + new MemorySize(process.memory())
                        + " of memory")
            .orElse("No process can be that large")
        + "; "
        + small.where()
        + " has "
        + small.cpuCores()
        + " cpu and "
        + new MemorySize(small.memory())
        + ". Lower the resources the job declares.";
  }

  private static String limit(LimitReached reached) {
    if (reached.shared()) {
      return "It takes "
          + Plural.of(reached.own(), "more worker")
          + " and other jobs "
          + reached.others()
          + ", "
          + (reached.registered() + reached.own() + reached.others())
          + " in all, and "
          + limit(reached.limit())
          + ". Raise that, lower the parallelism or let others end.";
    }
    return (reached.own() == 1
            ? "It takes " + Plural.withArticle(reached.registered() + 1) + " worker"
            : "It takes "
                + Plural.of(reached.own(), "more worker")
                + ", "
                + (reached.registered() + reached.own())
                + " in all")
        + ", and "
        + limit(reached.limit())
        + ". Raise that or lower the parallelism."
        + (reached.others() == 0
            ? ""
            : " Other jobs wait for " + Plural.of(reached.others(), "more worker") + ".");
  }

  private static String limit(ResourceLimit limit) {
    long whole = (long) limit.amount();
    return limit.option()
        + " allows "
        + switch (limit.resource()) {
          case WORKERS -> whole;
          case SLOTS -> Plural.of(whole, "slot");
          case CPU_CORES -> limit.amount() + " cpu cores";
          case MEMORY -> new MemorySize(whole);
        };
  }

  private static String state(boolean releasing) {
    return releasing ? "being released" : "taken";
  }

  private static String orNothing(ResourceProfile profile) {
    return profile.isUnspecified() ? "nothing" : profile.toString();
  }
}
