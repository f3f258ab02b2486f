package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Where workers come from. A plug point and a simulation seam.
 *
 * <p>Called from the mailbox of the leading ResourceManager only, and never blocks it: what takes
 * time goes to {@code env.io()} or to threads of the driver's own and comes back through {@link
 * WorkerEvents}. At most one term uses a driver at a time; {@link #start} and {@link #stop} come in
 * pairs, and a later term starts it again.
 *
 * <p>The driver decides nothing. It starts what it is asked for, once for each request, and tells
 * what became of it; how many workers there are to be, when to try again and whom to let go is the
 * ResourceManager's business.
 */
public interface WorkerDriver {
  /**
   * Begins to serve a ResourceManager.
   *
   * @param events where news of workers go from now on, from any thread
   * @return what this driver can do, and the workers of earlier attempts that live on; a failure
   *     ends the ResourceManager's process
   */
  CompletableFuture<DriverCapabilities> start(WorkerEvents events);

  /**
   * Starts one worker. Answered by {@link WorkerEvents#started} or {@link WorkerEvents#failed} with
   * the same number. Never called on a driver whose workers come by themselves.
   *
   * @param request not used before in this term
   * @param spec what the worker is to register with; the usual one, or one of the larger ones where
   *     this driver has said that it starts those
   */
  void request(long request, WorkerSpec spec);

  /**
   * A request is no longer wanted. One that cannot be taken back any more is answered as usual, and
   * its worker is released then.
   */
  void cancel(long request);

  /**
   * Ends a worker that was started here or found at the start; {@link WorkerEvents#ended} tells
   * when it is gone. One that is gone is ignored.
   */
  void release(WorkerId worker, Reason reason);

  /**
   * These nodes, and no others, are blocked: nothing is started there. Names of workers may be
   * among them and mean nothing to a driver.
   */
  void blocked(List<String> nodes);

  /** What a person can do when slots are missing and no limit explains it. */
  Reason advice();

  /**
   * Serves no longer and tells no more news.
   *
   * @param ending whether workers live on or end, and with what outcome
   * @return completes when nothing of this term is under way
   */
  CompletableFuture<Void> stop(DriverTermination ending);
}
