package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Starts and ends workers. A plug point and a simulation seam.
 *
 * <p>All methods are called in the mailbox of the leading ResourceManager and must not block it.
 * Blocking work runs in {@code env.io()} or in threads of the driver; its results are reported
 * through {@link WorkerEvents}. At most one term uses a driver at a time. Each {@link #start} is
 * followed by one {@link #stop}; a later term starts the driver again.
 *
 * <p>The driver makes no decisions. It starts one worker for each request and reports the result.
 * The ResourceManager decides how many workers there are, when a start is retried and which workers
 * are released.
 */
public interface WorkerDriver {
  /**
   * Starts to serve a ResourceManager.
   *
   * @param events receives the events of workers, from any thread
   * @return the capabilities of this driver and the running workers of earlier attempts; a failure
   *     ends the process of the ResourceManager
   */
  CompletableFuture<DriverCapabilities> start(WorkerEvents events);

  /**
   * Starts one worker. The driver answers with {@link WorkerEvents#started} or {@link
   * WorkerEvents#failed} and the same request number. Not called if {@link
   * DriverCapabilities#startable} is empty.
   *
   * @param request a number that is not used before in this term
   * @param spec the resources that the worker registers: the default spec, or a custom one if the
   *     capabilities of this driver allow it
   */
  void request(long request, WorkerSpec spec);

  /**
   * Cancels a request. If it is too late for that, the driver answers the request, and the
   * ResourceManager releases the worker.
   */
  void cancel(long request);

  /**
   * Ends a worker that was started or found. {@link WorkerEvents#ended} follows when its process
   * has ended. A worker that has already ended is ignored.
   */
  void release(WorkerId worker, Reason reason);

  /**
   * Replaces the list of blocked nodes, on which no worker is started. The list can contain ids of
   * workers, which a driver ignores.
   */
  void blocked(List<String> nodes);

  /**
   * How far the jobs are, from 0 to 1, for external systems that show it. Called from time to time
   * after {@link #start}.
   */
  default void progress(double share) {}

  /** What a user can do if slots are missing and no limit is the reason. */
  Reason advice();

  /**
   * Stops to serve the ResourceManager. No event follows.
   *
   * @param ending whether workers keep running or end, and the status of the application
   * @return completes when no operation of this term is in progress
   */
  CompletableFuture<Void> stop(DriverTermination ending);
}
