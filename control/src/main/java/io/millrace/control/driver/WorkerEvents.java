package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.Optional;

/** The events that a {@link WorkerDriver} reports to its ResourceManager, from any thread. */
public interface WorkerEvents {
  /**
   * A requested worker has an id. The driver reports this before the process of the worker can
   * register: the ResourceManager rejects unknown workers, and a rejected worker ends.
   */
  void started(long request, WorkerId worker);

  /** A requested worker could not be started. */
  void failed(long request, Reason reason);

  /** The process of a worker has ended, by itself or after its release. */
  void ended(WorkerId worker, Reason reason);

  /**
   * Requested workers have not started yet.
   *
   * @param reason the reason known to the driver; empty if it knows none any more
   */
  void waits(Optional<Reason> reason);

  /** The driver cannot continue. The ResourceManager ends its process. */
  void broken(Throwable cause);
}
