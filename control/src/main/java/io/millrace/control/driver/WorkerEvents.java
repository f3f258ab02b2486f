package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.Optional;

/** What a {@link WorkerDriver} tells its ResourceManager, from any thread. */
public interface WorkerEvents {
  /**
   * A requested worker has a name. Told before its process can possibly register, because an
   * unknown worker that registers is turned away for good.
   */
  void started(long request, WorkerId worker);

  /** A requested worker could not be started. */
  void failed(long request, Reason reason);

  /** A worker that had a name is gone, by itself or because it was released. */
  void ended(WorkerId worker, Reason reason);

  /**
   * Why requested workers have not started, as far as the driver knows; nothing once it is over.
   */
  void waits(Optional<Reason> reason);

  /** The driver has lost what it works with and cannot go on: ends the process. */
  void broken(Throwable cause);
}
