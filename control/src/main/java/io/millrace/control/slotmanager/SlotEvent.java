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

/** The events that a {@link SlotManager} decides on. */
public sealed interface SlotEvent {

  /**
   * The slots of a worker. The first report of an instance creates its slots and replaces those of
   * an earlier instance. Later reports update states.
   *
   * @param total the resources that the slots of the worker share
   * @param asOfNanos a time not after the report was made. Changes that the SlotManager made at
   *     this time or later are newer than the report.
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

  /** The registration of the worker has ended. Ignored for an instance that was replaced. */
  record WorkerLost(WorkerId worker, InstanceId instance) implements SlotEvent {
    public WorkerLost {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  /** A worker has freed a slot. Ignored if the allocation has no slot. */
  record SlotFreed(WorkerId worker, InstanceId instance, AllocationId allocation)
      implements SlotEvent {
    public SlotFreed {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(allocation);
    }
  }

  /**
   * All requirements of a job.
   *
   * @param timeout how long a shortage may last while no slot is registered or granted
   */
  record RequirementsDeclared(JobId job, List<Requirement> requirements, Duration timeout)
      implements SlotEvent {
    public RequirementsDeclared {
      Objects.requireNonNull(job);
      Objects.requireNonNull(timeout);
      requirements = OrderedCopies.list(requirements);
    }
  }

  /** The job withdraws its requirements. It keeps its slots until they are freed. */
  record JobForgotten(JobId job) implements SlotEvent {
    public JobForgotten {
      Objects.requireNonNull(job);
    }
  }

  /** The job has ended. It withdraws its requirements, and workers free its slots. */
  record JobEnded(JobId job) implements SlotEvent {
    public JobEnded {
      Objects.requireNonNull(job);
    }
  }

  /** The worker has granted the requested slot. */
  record SlotGranted(WorkerId worker, InstanceId instance, AllocationId allocation)
      implements SlotEvent {
    public SlotGranted {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(allocation);
    }
  }

  /**
   * The worker has refused the requested slot or has not answered in time. Without an answer it is
   * unknown whether the worker has allocated the slot.
   *
   * @param occupant the allocation that occupies the slot, if the worker refused it for that reason
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
   * The driver has started, and the workers that it can start are known. Before this event the
   * SlotManager declares no workers. It precedes the events of workers and jobs.
   */
  record SupplyKnown(SlotSettings settings) implements SlotEvent {
    public SupplyKnown {
      Objects.requireNonNull(settings);
    }
  }

  /**
   * @param most the new maximum number of workers that the driver may run
   */
  record WorkersLimited(int most) implements SlotEvent {}

  /**
   * Replaces the list of blocked workers, which need not be registered. Their free slots are not
   * allocated. Allocated slots stay.
   */
  record WorkersBlocked(List<WorkerId> workers) implements SlotEvent {
    public WorkersBlocked {
      workers = OrderedCopies.list(workers);
    }
  }

  /**
   * A worker is going to be taken away. It is released when no job uses it, when other workers have
   * enough free slots, or when the time is over. Until then other workers are declared.
   *
   * @param untilNanos the time of its release
   */
  record WorkerDraining(WorkerId worker, Reason reason, long untilNanos) implements SlotEvent {
    public WorkerDraining {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * A worker has kept data sets, or has none any more. A worker with data is not idle, even if all
   * its slots are free.
   */
  record DataHeld(WorkerId worker, InstanceId instance, boolean held) implements SlotEvent {
    public DataHeld {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  /**
   * Why declared workers are not registered.
   *
   * @param requested pending requests and starting workers, by spec
   * @param other reasons that concern workers of all specs
   */
  record SupplyStatus(Map<WorkerSpec, Reason> requested, List<Reason> other) implements SlotEvent {
    public SupplyStatus {
      requested = OrderedCopies.map(requested);
      other = OrderedCopies.list(other);
    }
  }

  /** The time of {@link SlotManager#nextWake} has come. */
  record Tick() implements SlotEvent {}
}
