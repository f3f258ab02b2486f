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

/** What a {@link SlotManager} wants done. */
public sealed interface SlotAction {

  /**
   * Ask the worker to give a slot to a job, and tell what it answered.
   *
   * @param slot nothing where one of the profile is to be carved
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
   * Tell the job why it waits, or that it no longer does.
   *
   * @param missing 0 where nothing is missing any more
   * @param reason nothing where nothing is missing
   */
  record NotifyPending(JobId job, int missing, Optional<Reason> reason) implements SlotAction {
    public NotifyPending {
      Objects.requireNonNull(job);
      Objects.requireNonNull(reason);
    }
  }

  /** Tell the job that it will not get what it needs. Its requirements count as withdrawn. */
  record FailRequirements(JobId job, Reason reason) implements SlotAction {
    public FailRequirements {
      Objects.requireNonNull(job);
      Objects.requireNonNull(reason);
    }
  }

  /** Tell the worker that the job has ended, so that it frees whatever it holds for it. */
  record EndJob(WorkerId worker, InstanceId instance, JobId job) implements SlotAction {
    public EndJob {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(job);
    }
  }

  /**
   * See to it that so many workers of each spec are there in all, those that have registered
   * included.
   */
  record WantWorkers(Map<WorkerSpec, Integer> workers) implements SlotAction {
    public WantWorkers {
      workers = OrderedCopies.map(workers);
    }
  }

  /** Give back a worker that nobody uses; its slots are forgotten already. */
  record ReleaseWorker(WorkerId worker, InstanceId instance, Reason reason) implements SlotAction {
    public ReleaseWorker {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(reason);
    }
  }

  /** Something to keep in the journal of a job. */
  record Note(JobId job, ResourceManagerEvent event) implements SlotAction {
    public Note {
      Objects.requireNonNull(job);
      Objects.requireNonNull(event);
    }
  }
}
