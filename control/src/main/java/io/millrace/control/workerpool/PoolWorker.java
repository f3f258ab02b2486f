package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;

/**
 * A worker that has a name.
 *
 * @param order higher for those that were asked for later
 * @param deadline when it must have registered, or be gone
 */
record PoolWorker(WorkerId id, WorkerSpec spec, State state, long order, long deadline) {
  static final long NO_DEADLINE = Long.MAX_VALUE;

  /**
   * STARTING or PREVIOUS → REGISTERED when it has reported its slots, and back to PREVIOUS when it
   * has given that up; from any of these → LEAVING when it was dismissed or took too long;
   * REGISTERED → GONE when it has ended, and out of here when it was dismissed, too; from all
   * others out of here when it has ended, and from LEAVING also when that takes too long.
   */
  enum State {
    /** Started at our request and not registered yet. */
    STARTING,
    /** Left over from an earlier attempt or registration, and not registered again yet. */
    PREVIOUS,
    REGISTERED,
    /** Released, and not gone yet. */
    LEAVING,
    /** Ended, and its slots are not dismissed yet: only then shows whether it is to be replaced. */
    GONE
  }

  /**
   * @param deadline from when on it counts as gone, whoever says so or not
   */
  PoolWorker leaving(long deadline) {
    return new PoolWorker(id, spec, State.LEAVING, order, deadline);
  }

  /**
   * @param deadline when it must have registered again
   */
  PoolWorker astray(long deadline) {
    return new PoolWorker(id, spec, State.PREVIOUS, order, deadline);
  }

  PoolWorker gone() {
    return new PoolWorker(id, spec, State.GONE, order, NO_DEADLINE);
  }

  PoolWorker registered(WorkerSpec as) {
    return new PoolWorker(id, as, State.REGISTERED, order, NO_DEADLINE);
  }
}
