package io.millrace.yarn.master;

import java.util.Objects;

/**
 * How a queue of YARN stands.
 *
 * @param memory of the containers that run in it, in mebibytes
 * @param used share of the capacity it is guaranteed; more than 1 where it has borrowed
 * @param maximum share of the cluster that it may have at most
 */
record QueueState(String name, long memory, long vcores, double used, double maximum) {
  QueueState {
    Objects.requireNonNull(name);
  }

  @Override
  public String toString() {
    return "queue '"
        + name
        + "' has "
        + memory
        + " mb and "
        + vcores
        + " vcores in use, "
        + percent(used)
        + " of its capacity, and may have "
        + percent(maximum)
        + " of what its parent has";
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }
}
