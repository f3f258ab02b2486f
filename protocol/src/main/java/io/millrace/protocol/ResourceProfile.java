package io.millrace.protocol;

/**
 * How much of a worker a slot has, or a task needs. Memory in bytes.
 *
 * @param cpuCores may be a fraction
 */
public record ResourceProfile(
    double cpuCores, long taskHeap, long taskOffHeap, long managed, long network) {

  /** What a task needs that declares nothing: any slot will do. */
  public static final ResourceProfile UNSPECIFIED = new ResourceProfile(0, 0, 0, 0, 0);

  public ResourceProfile {
    if (!(cpuCores >= 0) || taskHeap < 0 || taskOffHeap < 0 || managed < 0 || network < 0) {
      throw new IllegalArgumentException("A resource profile has no negative parts");
    }
  }

  /** Whether something of this size has room for what is needed. */
  public boolean fits(ResourceProfile needed) {
    return cpuCores >= needed.cpuCores
        && taskHeap >= needed.taskHeap
        && taskOffHeap >= needed.taskOffHeap
        && managed >= needed.managed
        && network >= needed.network;
  }

  /** The n-th part of this. */
  public ResourceProfile dividedBy(int parts) {
    return new ResourceProfile(
        cpuCores / parts, taskHeap / parts, taskOffHeap / parts, managed / parts, network / parts);
  }

  public ResourceProfile times(int count) {
    return new ResourceProfile(
        cpuCores * count, taskHeap * count, taskOffHeap * count, managed * count, network * count);
  }

  @Override
  public String toString() {
    return equals(UNSPECIFIED)
        ? "any"
        : cpuCores + " cpu, " + (taskHeap + taskOffHeap + managed + network) / (1 << 20) + " mb";
  }
}
