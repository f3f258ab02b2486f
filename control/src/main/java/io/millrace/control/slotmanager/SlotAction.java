package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.reason.Reason;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The actions that a {@link SlotManager} decides on. */
public sealed interface SlotAction {

  /**
   * Request a slot for a job from a worker. The answer is a {@link SlotEvent}.
   *
   * @param slot the index; empty if the worker carves a slot of the profile
   */
  record RequestSlot(
      WorkerId worker,
      InstanceId instance,
      Optional<Integer> slot,
      JobId job,
      AllocationId allocation,
      ResourceProfile profile)
      implements SlotAction {
    public RequestSlot {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(slot);
      Objects.requireNonNull(job);
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(profile);
    }
  }

  /**
   * Notify the job of its missing slots.
   *
   * @param missing the number of missing slots; 0 ends the shortage
   * @param reason why slots are missing; empty if none is
   */
  record NotifyPending(JobId job, int missing, Optional<Reason> reason) implements SlotAction {
    public NotifyPending {
      Objects.requireNonNull(job);
      Objects.requireNonNull(reason);
    }
  }

  /** Notify the job that its requirements fail. They count as withdrawn. */
  record FailRequirements(JobId job, Reason reason) implements SlotAction {
    public FailRequirements {
      Objects.requireNonNull(job);
      Objects.requireNonNull(reason);
    }
  }

  /** Notify the worker that the job has ended. It frees the slots of the job. */
  record EndJob(WorkerId worker, InstanceId instance, JobId job) implements SlotAction {
    public EndJob {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(job);
    }
  }

  /**
   * Declare the target to the worker pool.
   *
   * @param workers the number of workers of each spec, registered ones included
   */
  record DeclareWorkers(Map<WorkerSpec, Integer> workers) implements SlotAction {
    public DeclareWorkers {
      workers = OrderedCopies.map(workers);
    }
  }

  /** Release an idle worker. The SlotManager has removed its slots. */
  record ReleaseWorker(WorkerId worker, InstanceId instance, Reason reason) implements SlotAction {
    public ReleaseWorker {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(reason);
    }
  }

  /** Record an event in the journal of a job. */
  record RecordEvent(JobId job, ResourceManagerEvent event) implements SlotAction {
    public RecordEvent {
      Objects.requireNonNull(job);
      Objects.requireNonNull(event);
    }
  }
}
