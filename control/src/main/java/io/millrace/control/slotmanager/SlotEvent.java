package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What can happen to a {@link SlotManager}. */
public sealed interface SlotEvent {

  /**
   * A worker says what its slots are. The first report of an instance creates them and replaces
   * those of an earlier instance; later ones only update states.
   *
   * @param total what the worker's slots can have together
   * @param asOfNanos when the worker cannot have known less than it reports: what changed here
   *     later is newer than the report
   */
  record SlotsReported(
      WorkerId worker,
      InstanceId instance,
      ResourceProfile total,
      SlotReport report,
      long asOfNanos)
      implements SlotEvent {
    public SlotsReported {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(total);
      Objects.requireNonNull(report);
    }
  }

  /** The worker is gone with all its slots; ignored for an instance that was replaced. */
  record WorkerLost(WorkerId worker, InstanceId instance) implements SlotEvent {
    public WorkerLost {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  /** A slot has become free at its worker; ignored where the allocation has none by now. */
  record SlotFreed(WorkerId worker, InstanceId instance, AllocationId allocation)
      implements SlotEvent {
    public SlotFreed {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(allocation);
    }
  }

  /**
   * All that a job needs from now on.
   *
   * @param patience how long a shortage may last without slots coming
   */
  record RequirementsDeclared(JobId job, List<Requirement> requirements, Duration patience)
      implements SlotEvent {
    public RequirementsDeclared {
      Objects.requireNonNull(job);
      Objects.requireNonNull(patience);
      requirements = OrderedCopies.list(requirements);
    }
  }

  /** The job needs nothing any more; slots it still holds stay its own until they are freed. */
  record JobForgotten(JobId job) implements SlotEvent {
    public JobForgotten {
      Objects.requireNonNull(job);
    }
  }

  /** The job has ended for good: it needs nothing, and workers are to free what it still holds. */
  record JobEnded(JobId job) implements SlotEvent {
    public JobEnded {
      Objects.requireNonNull(job);
    }
  }

  /** The worker gave the slot to the job as requested. */
  record SlotGranted(WorkerId worker, InstanceId instance, AllocationId allocation)
      implements SlotEvent {
    public SlotGranted {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(allocation);
    }
  }

  /**
   * The worker did not give the slot, or nobody knows whether it did: no answer came in time.
   *
   * @param occupant who has the slot, where that is why it was refused
   */
  record SlotRefused(
      WorkerId worker,
      InstanceId instance,
      AllocationId allocation,
      Reason reason,
      Optional<Occupant> occupant)
      implements SlotEvent {
    public SlotRefused {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(occupant);
    }
  }

  /**
   * It is known what workers can be had; before that none is wanted. Comes before anything that
   * workers or jobs say.
   */
  record SupplyKnown(SlotSettings settings) implements SlotEvent {
    public SupplyKnown {
      Objects.requireNonNull(settings);
    }
  }

  /** There may be so many workers from now on, where they are started on demand. */
  record WorkersLimited(int most) implements SlotEvent {}

  /**
   * These workers, and no others, are blocked, whether they have come or not: what they have free
   * is not handed out. What runs on them runs on.
   */
  record WorkersBlocked(List<WorkerId> workers) implements SlotEvent {
    public WorkersBlocked {
      workers = OrderedCopies.list(workers);
    }
  }

  /**
   * A worker has data that somebody may need, or no longer: with it, it is not idle, whoever has
   * its slots.
   */
  record DataHeld(WorkerId worker, InstanceId instance, boolean held) implements SlotEvent {
    public DataHeld {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  /**
   * What is under way with workers that were asked for, or wrong with them.
   *
   * @param asked what was asked for and has not come
   * @param other what concerns workers of every spec
   */
  record SupplyStatus(Map<WorkerSpec, Reason> asked, List<Reason> other) implements SlotEvent {
    public SupplyStatus {
      asked = OrderedCopies.map(asked);
      other = OrderedCopies.list(other);
    }
  }

  /** Time has passed; {@link SlotManager#nextWake} says when this is wanted. */
  record Tick() implements SlotEvent {}
}
