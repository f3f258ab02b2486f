package io.millrace.control.slotmanager;

import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.protocol.reason.SlotReason.LimitReached;
import java.util.Map;
import java.util.Optional;

/** Finds the limit that prevents the workers a job needs. */
final class LimitReasons {
  private LimitReasons() {}

  /**
   * @param own the workers that the job needs beside the registered ones
   * @param all the workers that all jobs need beside the registered ones
   */
  static Optional<LimitReached> find(
      ResourceLimits limits,
      WorkerTotals registered,
      Map<WorkerSpec, Integer> own,
      Map<WorkerSpec, Integer> all) {
    int ownCount = sum(own);
    int others = Math.max(0, sum(all) - ownCount);
    return limits
        .exceededBy(registered.plus(own))
        .map(limit -> new LimitReached(registered.workers(), ownCount, others, false, limit))
        .or(
            () ->
                limits
                    .exceededBy(registered.plus(all))
                    .map(
                        limit ->
                            new LimitReached(registered.workers(), ownCount, others, true, limit)));
  }

  private static int sum(Map<WorkerSpec, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
