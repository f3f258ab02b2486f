package io.millrace.control.slotmanager;

import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.protocol.reason.SlotReason.LimitReached;
import java.util.Map;
import java.util.Optional;

/** Says which limit keeps a job from the workers it needs. */
final class LimitReasons {
  private LimitReasons() {}

  /**
   * @param own the workers that the job takes beside those that are registered
   * @param all those that all jobs take
   */
  static Optional<LimitReached> find(
      ResourceLimits limits,
      WorkerTotals registered,
      Map<WorkerSpec, Integer> own,
      Map<WorkerSpec, Integer> all) {
    int mine = sum(own);
    int others = Math.max(0, sum(all) - mine);
    return limits
        .exceededBy(registered.plus(own))
        .map(limit -> new LimitReached(registered.workers(), mine, others, false, limit))
        .or(
            () ->
                limits
                    .exceededBy(registered.plus(all))
                    .map(
                        limit ->
                            new LimitReached(registered.workers(), mine, others, true, limit)));
  }

  private static int sum(Map<WorkerSpec, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
