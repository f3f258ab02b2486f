package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The events that a {@link WorkerPool} decides on. */
public sealed interface WorkerPoolEvent {

  /** The driver found running workers of an earlier attempt. They are expected to register. */
  record Found(Map<WorkerId, WorkerSpec> workers) implements WorkerPoolEvent {
    public Found {
      workers = OrderedCopies.map(workers);
    }
  }

  /**
   * The SlotManager declares the target.
   *
   * @param workers the number of workers of each spec, registered ones included
   */
  record WorkersDeclared(Map<WorkerSpec, Integer> workers) implements WorkerPoolEvent {
    public WorkersDeclared {
      workers = OrderedCopies.map(workers);
    }
  }

  /**
   * @param workers the new maximum number of workers at a time
   */
  record Limited(int workers) implements WorkerPoolEvent {}

  /** The driver has assigned an id to a requested worker and starts its process. */
  record Started(long request, WorkerId worker) implements WorkerPoolEvent {
    public Started {
      Objects.requireNonNull(worker);
    }
  }

  /** The driver could not start a requested worker. */
  record StartFailed(long request, Reason reason) implements WorkerPoolEvent {
    public StartFailed {
      Objects.requireNonNull(reason);
    }
  }

  /** The process of a worker has ended, by itself or after its release. */
  record Ended(WorkerId worker, Reason reason) implements WorkerPoolEvent {
    public Ended {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * A worker has registered and reported its slots.
   *
   * @param spec the reported spec, which can differ from the requested one
   */
  record Registered(WorkerId worker, WorkerSpec spec) implements WorkerPoolEvent {
    public Registered {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(spec);
    }
  }

  /** A worker has given up its registration and is expected to register again. */
  record RegistrationLost(WorkerId worker) implements WorkerPoolEvent {
    public RegistrationLost {
      Objects.requireNonNull(worker);
    }
  }

  /** The ResourceManager has ended the registration of a worker and removed its slots. */
  record Released(WorkerId worker, Reason reason) implements WorkerPoolEvent {
    public Released {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * The driver reports why it has not started requested workers.
   *
   * @param reason empty if the driver knows no such reason any more
   */
  record StartsDelayed(Optional<Reason> reason) implements WorkerPoolEvent {
    public StartsDelayed {
      Objects.requireNonNull(reason);
    }
  }

  /** The time of {@link WorkerPool#nextWake} has come. */
  record Tick() implements WorkerPoolEvent {}
}
