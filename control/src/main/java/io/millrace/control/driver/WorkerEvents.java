package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
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

  /**
   * A worker is going to be taken away, for example because its node is shut down. It gets no more
   * slots, and is released when others can replace it, at the latest after some time.
   *
   * @param within the time until the external system ends the worker
   */
  void draining(WorkerId worker, Reason reason, Duration within);

  /**
   * Workers fail on a node, which is therefore blocked.
   *
   * @param time for which no worker is to start there
   */
  void unreliable(String node, Reason reason, Duration time);

  /** The driver cannot continue. The ResourceManager ends its process. */
  void broken(Throwable cause);
}
