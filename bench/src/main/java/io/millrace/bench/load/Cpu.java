package io.millrace.bench.load;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Cores used by this process and by everything else since construction: tells a disturbed run from
 * a clean one.
 */
public final class Cpu {
  private static final OperatingSystemMXBean OS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final double TICK_S = 0.01;

  private final long startNanos = System.nanoTime();
  private final long startOwn = OS.getProcessCpuTime();
  private final double startBusy = busySeconds();

  /**
   * Waits until this process has used so many core-seconds: on a busy machine the compilers'
   * threads wait as long as all others, and warm is what has had its processor time.
   */
  public static void await(int coreSeconds) throws InterruptedException {
    Cpu cpu = new Cpu();
    for (int i = 0; i < coreSeconds * 100 && cpu.ownSeconds() < coreSeconds; i++) {
      Thread.sleep(100);
    }
  }

  public void report(Json json) {
    json.put("ownCores", ownCores())
        .put("otherCores", otherCores())
        .put("ownCoreSeconds", ownSeconds());
  }

  public double ownCores() {
    return ownSeconds() / elapsed();
  }

  public double otherCores() {
    return Math.max(0, busySeconds() - startBusy - ownSeconds()) / elapsed();
  }

  double ownSeconds() {
    return (OS.getProcessCpuTime() - startOwn) / 1e9;
  }

  private double elapsed() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** Busy time of the machine, steal included: everything in /proc/stat but idle and iowait. */
  private static double busySeconds() {
    try {
      String[] fields = Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split(" +");
      long ticks = 0;
      for (int i = 1; i <= 8; i++) {
        ticks += i == 4 || i == 5 ? 0 : Long.parseLong(fields[i]);
      }
      return ticks * TICK_S;
    } catch (IOException e) {
      return 0;
    }
  }
}
