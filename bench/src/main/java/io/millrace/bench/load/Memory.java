package io.millrace.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process occupies. */
final class Memory {
  private Memory() {}

  private static double baseHeapMb = Double.NaN;

  /** How many keys the sources of this process draw from. */
  private static long keySpace;

  /** Resident memory now, -1 where the system does not tell. */
  static long rssMb() {
    return statusMb("VmRSS:");
  }

  /** The most that was resident at any time, -1 where the system does not tell. */
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

  /** Notes what an engine has on the heap before its first record; the first call counts. */
  static synchronized void noteBase(long keys) {
    if (Double.isNaN(baseHeapMb)) {
      baseHeapMb = liveHeapMb();
      keySpace = keys;
    }
  }

  /** How many different keys there are among so many records; each is as likely as any other. */
  static synchronized double distinctKeys(long records) {
    return keySpace * -Math.expm1(-(double) records / keySpace);
  }

  static synchronized double baseHeapMb() {
    return baseHeapMb;
  }

  /** What is alive on the heap; collects garbage to find out. */
  static double liveHeapMb() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0;
  }
}
