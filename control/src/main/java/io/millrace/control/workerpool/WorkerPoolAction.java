package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.reason.Reason;
import java.util.Objects;
import java.util.Optional;

/** The actions that a {@link WorkerPool} decides on. */
public sealed interface WorkerPoolAction {

  /** Request a worker from the driver. */
  record Request(long request, WorkerSpec spec) implements WorkerPoolAction {
    public Request {
      Objects.requireNonNull(spec);
    }
  }

  /** Cancel a request at the driver. */
  record Cancel(long request) implements WorkerPoolAction {}

  /** Tell the driver to end a worker. */
  record Release(WorkerId worker, Reason reason) implements WorkerPoolAction {
    public Release {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * The process of a registered or released worker has ended according to the driver, or its
   * release has timed out. End its registration. A process that still runs is told to end, since
   * the driver may know only about its container or node.
   */
  record Lost(WorkerId worker, Reason reason) implements WorkerPoolAction {
    public Lost {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * Record an event in the journal and the log.
   *
   * @param warning whether it is logged as a warning
   */
  record RecordEvent(ResourceManagerEvent event, Optional<WorkerId> worker, boolean warning)
      implements WorkerPoolAction {
    public RecordEvent {
      Objects.requireNonNull(event);
      Objects.requireNonNull(worker);
    }

    static RecordEvent of(ResourceManagerEvent event) {
      return new RecordEvent(event, Optional.empty(), false);
    }

    static RecordEvent of(ResourceManagerEvent event, WorkerId worker) {
      return new RecordEvent(event, Optional.of(worker), false);
    }

    static RecordEvent warning(ResourceManagerEvent event, WorkerId worker) {
      return new RecordEvent(event, Optional.of(worker), true);
    }
  }
}
