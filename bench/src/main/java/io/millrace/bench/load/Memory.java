package io.millrace.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory of this process. */
final class Memory {
  private Memory() {}

  private static double baseHeapMb = Double.NaN;

  /** The number of keys of the sources in this process. */
  private static long keySpace;

  /** Resident memory; -1 if the system does not report it. */
  static long rssMb() {
    return statusMb("VmRSS:");
  }

  /** Peak resident memory; -1 if the system does not report it. */
  static long peakRssMb() {
    return statusMb("VmHWM:");
  }

  private static long statusMb(String name) {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
          .findFirst()
          .orElse(-1);
    } catch (IOException e) {
      return -1;
    }
  }

  /** Records the heap size of an engine before its first record. Later calls have no effect. */
  static synchronized void recordBaseHeap(long keys) {
    if (Double.isNaN(baseHeapMb)) {
      baseHeapMb = liveHeapMb();
      keySpace = keys;
    }
  }

  /** The expected number of distinct keys among the records, for uniformly distributed keys. */
  static synchronized double distinctKeys(long records) {
    return keySpace * -Math.expm1(-(double) records / keySpace);
  }

  static synchronized double baseHeapMb() {
    return baseHeapMb;
  }

  /** The live heap, after a garbage collection. */
  static double liveHeapMb() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0;
  }
}
