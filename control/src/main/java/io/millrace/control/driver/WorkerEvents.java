package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;

/** What a {@link WorkerDriver} tells its ResourceManager, from any thread. */
public interface WorkerEvents {
  /**
   * A requested worker has a name. Told before its process can possibly register, because an
   * unknown worker that registers is turned away for good.
   */
  void started(long request, WorkerId worker);

  /** A requested worker could not be started. */
  void failed(long request, String reason);

  /** A worker that had a name is gone, by itself or because it was released. */
  void ended(WorkerId worker, String reason);

  /**
   * Why requested workers have not started, as far as the driver knows, as a sentence; empty where
   * there is nothing to say any more.
   */
  void waits(String reason);

  /** The driver has lost what it works with and cannot go on: ends the process. */
  void broken(Throwable cause);
}
