package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What can happen to a {@link WorkerPool}. */
public sealed interface WorkerPoolEvent {

  /** Workers of an earlier attempt were found alive; they are expected to register. */
  record Found(Map<WorkerId, WorkerSpec> workers) implements WorkerPoolEvent {
    public Found {
      workers = OrderedCopies.map(workers);
    }
  }

  /** So many workers of each spec are to be there in all, those that have come included. */
  record Wanted(Map<WorkerSpec, Integer> workers) implements WorkerPoolEvent {
    public Wanted {
      workers = OrderedCopies.map(workers);
    }
  }

  /** There may be so many workers at a time from now on. */
  record Limited(int workers) implements WorkerPoolEvent {}

  /** The driver gave a requested worker its name. */
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

  /** A worker's process is gone, by itself or because it was released. */
  record Ended(WorkerId worker, Reason reason) implements WorkerPoolEvent {
    public Ended {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * A worker has registered and reported its slots.
   *
   * @param spec what it says that it has, which need not be what was asked for
   */
  record Registered(WorkerId worker, WorkerSpec spec) implements WorkerPoolEvent {
    public Registered {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(spec);
    }
  }

  /** A worker has given up its registration, and is expected to register again. */
  record RegistrationLost(WorkerId worker) implements WorkerPoolEvent {
    public RegistrationLost {
      Objects.requireNonNull(worker);
    }
  }

  /** A worker is not wanted any more, or was given up: its slots are gone. */
  record Released(WorkerId worker, Reason reason) implements WorkerPoolEvent {
    public Released {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * The driver says why requested workers do not come.
   *
   * @param reason nothing where the driver has nothing more to say
   */
  record Waits(Optional<Reason> reason) implements WorkerPoolEvent {
    public Waits {
      Objects.requireNonNull(reason);
    }
  }

  /** Time has passed; {@link WorkerPool#nextWake} says when this is wanted. */
  record Tick() implements WorkerPoolEvent {}
}
