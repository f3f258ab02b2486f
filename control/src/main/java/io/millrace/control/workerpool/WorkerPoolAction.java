package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.reason.Reason;
import java.util.Objects;
import java.util.Optional;

/** What a {@link WorkerPool} wants done. */
public sealed interface WorkerPoolAction {

  /** Ask the driver for a worker. */
  record Request(long request, WorkerSpec spec) implements WorkerPoolAction {
    public Request {
      Objects.requireNonNull(spec);
    }
  }

  /** Tell the driver that a worker is not wanted any more. */
  record Cancel(long request) implements WorkerPoolAction {}

  /** Tell the driver to end a worker. */
  record Release(WorkerId worker, Reason reason) implements WorkerPoolAction {
    public Release {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * A worker that had registered is gone, as far as the driver knows. Its heartbeats are not
   * awaited any more, and a process that lives on is told to end.
   */
  record Lost(WorkerId worker, Reason reason) implements WorkerPoolAction {
    public Lost {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * Something to keep in the journal.
   *
   * @param trouble whether somebody should look after it
   */
  record Note(ResourceManagerEvent event, Optional<WorkerId> worker, boolean trouble)
      implements WorkerPoolAction {
    /** All goes its way. */
    public Note(ResourceManagerEvent event, Optional<WorkerId> worker) {
      this(event, worker, false);
    }

    public Note {
      Objects.requireNonNull(event);
      Objects.requireNonNull(worker);
    }
  }
}
