package io.millrace.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process occupies. */
final class Memory {
  private Memory() {}

  /** Resident memory now, -1 where the system does not tell. */
  static long rssMb() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
          .findFirst()
          .orElse(-1);
    } catch (IOException e) {
      return -1;
    }
  }

  /** What is alive on the heap; collects garbage to find out. */
  static double liveHeapMb() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0;
  }
}
