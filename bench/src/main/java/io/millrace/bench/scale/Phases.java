package io.millrace.bench.scale;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sums the costs of each phase of a run: figures {@code phase.figure}. */
final class Phases {
  static final List<String> NAMES =
      List.of("register", "allocate", "deploy", "quiet", "failover", "cancel", "release");

  static final String CPU = "cpuMs";
  static final String HEAP = "heap.jobManagerMb";

  private final ScaleCluster cluster;
  private final Map<String, Double> figures = new LinkedHashMap<>();
  private Start start;

  private record Start(
      CostMeter.Reading jobManager, CostMeter.Reading others, long threadNanos, long gcMillis) {}

  Phases(ScaleCluster cluster) {
    this.cluster = cluster;
    this.start = now();
  }

  Map<String, Double> figures() {
    return figures;
  }

  /** Ignores the costs since the last phase. */
  void skip() {
    start = now();
  }

  /** Runs a phase. */
  void run(String name, Runnable phase) {
    skip();
    phase.run();
    end(name);
  }

  /** Assigns the costs since the last phase to the named one. */
  void end(String name) {
    Start end = now();
    CostMeter.Reading manager = end.jobManager().since(start.jobManager());
    CostMeter.Reading others = end.others().since(start.others());
    put(name, CPU, manager.cpuNanos() / 1e6);
    put(name, "othersCpuMs", (end.threadNanos() - start.threadNanos() - manager.cpuNanos()) / 1e6);
    put(name, "gcMs", (double) (end.gcMillis() - start.gcMillis()));
    put(name, "allocatedMb", manager.allocated() / 1e6);
    put(name, "events", (double) manager.events());
    put(name, "sent", (double) manager.messages());
    put(name, "received", (double) others.messages());
    put(name, "sentMb", manager.bytes() / 1e6);
    put(name, "receivedMb", others.bytes() / 1e6);
    manager.parts().forEach((part, nanos) -> put(name, CPU + "." + part, nanos / 1e6));
    start = now();
  }

  void put(String phase, String figure, double value) {
    figures.put(phase + "." + figure, value);
  }

  private Start now() {
    return new Start(
        cluster.jobManagerMeter().read(),
        cluster.othersMeter().read(),
        CostMeter.cpuOfThread(),
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime)
            .sum());
  }
}
