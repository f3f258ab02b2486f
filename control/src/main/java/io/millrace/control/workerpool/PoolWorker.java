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
   *
   *
   * <pre>
   * state       event                                     next state
   * -           the driver starts a requested worker      STARTING
   * -           the driver finds a worker at its start    PREVIOUS
   * STARTING    the worker reports its slots              REGISTERED
   * STARTING    not needed, or registration times out     RELEASING
   * STARTING    the process ends                          removed
   * PREVIOUS    the worker reports its slots              REGISTERED
   * PREVIOUS    registration times out                    RELEASING
   * PREVIOUS    the process ends                          removed
   * REGISTERED  the worker gives up its registration      PREVIOUS
   * REGISTERED  the ResourceManager releases the worker   RELEASING
   * REGISTERED  the process ends                          ENDED
   * RELEASING   the process ends, or release times out    removed
   * ENDED       the SlotManager has removed its slots     removed
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
