package io.millrace.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The resources that a slot has or a task needs. Memory is in bytes.
 *
 * @param cpuCores a multiple of one millionth, so that sums stay exact
 * @param external the amounts of external resources such as GPUs, sorted by name; without those of
 *     amount 0
 */
public record ResourceProfile(
    double cpuCores,
    long taskHeap,
    long taskOffHeap,
    long managed,
    long network,
    Map<String, Long> external)
    implements Comparable<ResourceProfile> {
  private static final double CPU_PARTS = 1_000_000;

  /**
   * Most profiles have no external resources, and profiles are added and compared for every slot.
   */
  private static final Map<String, Long> NOTHING = OrderedCopies.map(new TreeMap<>());

  /** The needs of a task that declares none: every slot fits. */
  public static final ResourceProfile UNSPECIFIED = new ResourceProfile(0, 0, 0, 0, 0);

  public ResourceProfile {
    if (!(cpuCores >= 0) || taskHeap < 0 || taskOffHeap < 0 || managed < 0 || network < 0) {
      throw new IllegalArgumentException("resources must be >= 0");
    }
    cpuCores = Math.round(cpuCores * CPU_PARTS) / CPU_PARTS;
    external = external.isEmpty() ? NOTHING : positive(external);
  }

  private static Map<String, Long> positive(Map<String, Long> external) {
    Map<String, Long> byName = new TreeMap<>();
    external.forEach(
        (name, count) -> {
          if (count < 0) {
            throw new IllegalArgumentException("resources must be >= 0");
          }
          if (count > 0) {
            byName.put(Objects.requireNonNull(name), count);
          }
        });
    return OrderedCopies.map(byName);
  }

  public ResourceProfile(
      double cpuCores, long taskHeap, long taskOffHeap, long managed, long network) {
    this(cpuCores, taskHeap, taskOffHeap, managed, network, NOTHING);
  }

  /** Whether a slot with these resources fits the needs. */
  public boolean fits(ResourceProfile needed) {
    if (cpuCores < needed.cpuCores
        || taskHeap < needed.taskHeap
        || taskOffHeap < needed.taskOffHeap
        || managed < needed.managed
        || network < needed.network) {
      return false;
    }
    for (Map.Entry<String, Long> part : needed.external.entrySet()) {
      if (count(part.getKey()) < part.getValue()) {
        return false;
      }
    }
    return true;
  }

  /** The sum of all memory in bytes. */
  public long memory() {
    return taskHeap + taskOffHeap + managed + network;
  }

  /** The amount of an external resource. */
  public long count(String name) {
    return external.getOrDefault(name, 0L);
  }

  /** Whether no resource is specified: every slot fits. */
  public boolean isUnspecified() {
    return equals(UNSPECIFIED);
  }

  public ResourceProfile plus(ResourceProfile other) {
    return new ResourceProfile(
        cpuCores + other.cpuCores,
        taskHeap + other.taskHeap,
        taskOffHeap + other.taskOffHeap,
        managed + other.managed,
        network + other.network,
        other.external.isEmpty() ? external : externalWith(other));
  }

  private Map<String, Long> externalWith(ResourceProfile other) {
    Map<String, Long> sum = new TreeMap<>(external);
    other.external.forEach((name, count) -> sum.merge(name, count, Long::sum));
    return sum;
  }

  /** The difference, with a minimum of 0 per resource. */
  public ResourceProfile minus(ResourceProfile other) {
    return new ResourceProfile(
        Math.max(0, cpuCores - other.cpuCores),
        Math.max(0, taskHeap - other.taskHeap),
        Math.max(0, taskOffHeap - other.taskOffHeap),
        Math.max(0, managed - other.managed),
        Math.max(0, network - other.network),
        external.isEmpty() ? external : externalWithout(other));
  }

  private Map<String, Long> externalWithout(ResourceProfile other) {
    Map<String, Long> left = new TreeMap<>();
    external.forEach((name, count) -> left.put(name, Math.max(0, count - other.count(name))));
    return left;
  }

  /** The n-th part, rounded down. */
  public ResourceProfile dividedBy(int parts) {
    Map<String, Long> each = new TreeMap<>();
    external.forEach((name, count) -> each.put(name, count / parts));
    long cpuOfEach = cpuMillionths() / parts;
    return new ResourceProfile(
        cpuOfEach / CPU_PARTS,
        taskHeap / parts,
        taskOffHeap / parts,
        managed / parts,
        network / parts,
        each);
  }

  public ResourceProfile times(int count) {
    Map<String, Long> all = new TreeMap<>();
    external.forEach((name, each) -> all.put(name, each * count));
    return new ResourceProfile(
        cpuCores * count,
        taskHeap * count,
        taskOffHeap * count,
        managed * count,
        network * count,
        all);
  }

  /** How many times the part fits into this profile; unlimited for an empty part. */
  public int holds(ResourceProfile part) {
    long times =
        Math.min(
            Math.min(times(cpuMillionths(), part.cpuMillionths()), times(taskHeap, part.taskHeap)),
            Math.min(
                Math.min(times(taskOffHeap, part.taskOffHeap), times(managed, part.managed)),
                times(network, part.network)));
    for (Map.Entry<String, Long> one : part.external.entrySet()) {
      times = Math.min(times, times(count(one.getKey()), one.getValue()));
    }
    return (int) times;
  }

  private static long times(long whole, long part) {
    return part == 0 ? Integer.MAX_VALUE : Math.min(Integer.MAX_VALUE, whole / part);
  }

  /** The largest share, between 0 and 1, that the part takes of any resource. */
  public double share(ResourceProfile part) {
    double share =
        Math.max(part(cpuMillionths(), part.cpuMillionths()), part(taskHeap, part.taskHeap));
    share = Math.max(share, part(taskOffHeap, part.taskOffHeap));
    share = Math.max(share, Math.max(part(managed, part.managed), part(network, part.network)));
    for (Map.Entry<String, Long> one : part.external.entrySet()) {
      share = Math.max(share, part(count(one.getKey()), one.getValue()));
    }
    return Math.min(1, share);
  }

  private static double part(long whole, long part) {
    return part == 0 ? 0 : (double) part / whole;
  }

  /** A total order in which a profile that fits into another comes before it. */
  @Override
  public int compareTo(ResourceProfile other) {
    int order = Double.compare(cpuCores, other.cpuCores);
    order = order != 0 ? order : Long.compare(taskHeap, other.taskHeap);
    order = order != 0 ? order : Long.compare(taskOffHeap, other.taskOffHeap);
    order = order != 0 ? order : Long.compare(managed, other.managed);
    order = order != 0 ? order : Long.compare(network, other.network);
    if (order == 0 && !external.equals(other.external)) {
      TreeSet<String> names = new TreeSet<>(external.keySet());
      names.addAll(other.external.keySet());
      for (String name : names) {
        order = order != 0 ? order : Long.compare(count(name), other.count(name));
      }
    }
    return order;
  }

  /** The resources with units, without those of amount 0. */
  @Override
  public String toString() {
    if (isUnspecified()) {
      return "any";
    }
    List<String> parts = new ArrayList<>();
    if (cpuCores > 0) {
      parts.add(cpuCores + " cpu");
    }
    memory(parts, taskHeap, "heap");
    memory(parts, taskOffHeap, "off-heap");
    memory(parts, managed, "managed");
    memory(parts, network, "network");
    external.forEach((name, count) -> parts.add(count + " " + name));
    return String.join(", ", parts);
  }

  private static void memory(List<String> parts, long bytes, String what) {
    if (bytes > 0) {
      parts.add(new MemorySize(bytes) + " " + what);
    }
  }

  private long cpuMillionths() {
    return Math.round(cpuCores * CPU_PARTS);
  }
}
