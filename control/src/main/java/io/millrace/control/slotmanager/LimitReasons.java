package io.millrace.control.slotmanager;

import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import java.util.Map;
import java.util.Optional;

/** The sentences that say which limit keeps a job from the workers it needs. */
final class LimitReasons {
  private LimitReasons() {}

  /**
   * @param own the workers that the job takes beside those that are registered
   * @param all those that all jobs take
   */
  static Optional<String> sentence(
      ResourceLimits ceiling,
      WorkerTotals registered,
      Map<WorkerSpec, Integer> own,
      Map<WorkerSpec, Integer> all) {
    int mine = sum(own);
    int others = Math.max(0, sum(all) - mine);
    Optional<String> inTheWay = ceiling.exceededBy(registered.plus(own));
    if (inTheWay.isPresent()) {
      return Optional.of(
          takes(registered.workers(), own)
              + ", and "
              + inTheWay.get()
              + ". Raise that or lower the parallelism."
              + (others == 0 ? "" : " Other jobs wait for " + more(others) + "."));
    }
    return ceiling
        .exceededBy(registered.plus(all))
        .map(
            limit ->
                "It takes "
                    + more(mine)
                    + " and other jobs "
                    + others
                    + ", "
                    + (registered.workers() + sum(all))
                    + " in all, and "
                    + limit
                    + ". Raise that, lower the parallelism or let others end.");
  }

  private static String takes(int registered, Map<WorkerSpec, Integer> own) {
    int mine = sum(own);
    return mine == 1
        ? "It takes a " + ordinal(registered + 1) + " worker"
        : "It takes " + more(mine) + ", " + (registered + mine) + " in all";
  }

  private static String more(int workers) {
    return workers == 1 ? "1 more worker" : workers + " more workers";
  }

  private static int sum(Map<WorkerSpec, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  private static String ordinal(int number) {
    boolean teens = number % 100 >= 11 && number % 100 <= 13;
    return number
        + (teens
            ? "th"
            : switch (number % 10) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            });
  }
}
