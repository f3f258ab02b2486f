package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;

/**
 * A worker that the driver has started or found.
 *
 * @param order the number of its request; higher for later requests
 * @param deadline when it must have registered, or ended if it is RELEASING
 */
record PoolWorker(WorkerId id, WorkerSpec spec, State state, long order, long deadline) {
  static final long NO_DEADLINE = Long.MAX_VALUE;

  /**
   * The state of a worker.
   *
   * <pre>
   * state       event                                            next state
   * -           the driver starts a requested worker             STARTING
   * -           the driver finds a worker at its start           PREVIOUS
   * STARTING    the worker reports its slots                     REGISTERED
   * STARTING    it is not needed, or does not report in time     RELEASING
   * STARTING    the process ends                                 removed
   * PREVIOUS    the worker reports its slots                     REGISTERED
   * PREVIOUS    it does not report in time                       RELEASING
   * PREVIOUS    the process ends                                 removed
   * REGISTERED  the worker gives up its registration             PREVIOUS
   * REGISTERED  the process ends                                 ENDED
   * STARTING, PREVIOUS, REGISTERED
   *             the ResourceManager ends its registration        RELEASING
   * RELEASING   the process ends, or the release times out       removed
   * ENDED       the ResourceManager has removed its slots        removed
   * </pre>
   */
  enum State {
    /** Started on request and not registered yet. */
    STARTING,
    /** Started for an earlier leader, or registered before; expected to register again. */
    PREVIOUS,
    REGISTERED,
    /** The driver was told to end it. Counts against the limits until its process has ended. */
    RELEASING,
    /**
     * Its process has ended and the SlotManager still has its slots. Whether it is replaced follows
     * from the declaration that the SlotManager makes without them.
     */
    ENDED
  }

  /**
   * @param deadline when it counts as ended even if the driver does not report it
   */
  PoolWorker releasing(long deadline) {
    return new PoolWorker(id, spec, State.RELEASING, order, deadline);
  }

  /**
   * @param deadline when it must have registered again
   */
  PoolWorker registrationLost(long deadline) {
    return new PoolWorker(id, spec, State.PREVIOUS, order, deadline);
  }

  PoolWorker ended() {
    return new PoolWorker(id, spec, State.ENDED, order, NO_DEADLINE);
  }

  PoolWorker registered(WorkerSpec actual) {
    return new PoolWorker(id, actual, State.REGISTERED, order, NO_DEADLINE);
  }
}
