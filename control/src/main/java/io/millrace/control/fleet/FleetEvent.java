package io.millrace.control.fleet;

import io.millrace.core.Ordered;
import io.millrace.core.id.WorkerId;
import java.util.List;
import java.util.Objects;

/** What can happen to a {@link Fleet}. */
public sealed interface FleetEvent {

  /** Workers of an earlier attempt were found alive; they are expected to register. */
  record Found(List<WorkerId> workers) implements FleetEvent {
    public Found {
      workers = Ordered.list(workers);
    }
  }

  /** So many workers are to be there in all, those that have come included. */
  record Wanted(int workers) implements FleetEvent {}

  /** The driver gave a requested worker its name. */
  record Started(long request, WorkerId worker) implements FleetEvent {
    public Started {
      Objects.requireNonNull(worker);
    }
  }

  /** The driver could not start a requested worker. */
  record StartFailed(long request, String reason) implements FleetEvent {
    public StartFailed {
      Objects.requireNonNull(reason);
    }
  }

  /** A worker's process is gone. */
  record Ended(WorkerId worker, String reason) implements FleetEvent {
    public Ended {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /** A worker has registered and reported its slots. */
  record Registered(WorkerId worker) implements FleetEvent {
    public Registered {
      Objects.requireNonNull(worker);
    }
  }

  /** A worker is not wanted any more, or was given up: its slots are gone. */
  record Dismissed(WorkerId worker, String reason) implements FleetEvent {
    public Dismissed {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /** Time has passed; {@link Fleet#nextWake} says when this is wanted. */
  record Tick() implements FleetEvent {}
}
