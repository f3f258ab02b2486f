package io.millrace.bench.load;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU cores used by this process and by all others since construction; used to detect disturbed
 * runs.
 */
public final class Cpu {
  private static final OperatingSystemMXBean OS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final double TICK_S = 0.01;

  /** Compiler threads that use a smaller share of the process's CPU time are idle. */
  private static final double COMPILING = 0.05;

  private final long startNanos = System.nanoTime();
  private final long startOwn = OS.getProcessCpuTime();
  private final double startBusy = busySeconds();

  /**
   * Waits until this process has used the given core-seconds and its JIT compilers are idle for one
   * core-second. On a busy machine the compiler threads have to wait like all others, and code that
   * is not yet compiled runs at a fifth of its speed. If the compilers do not become idle, the wait
   * ends after four times the core-seconds.
   *
   * @return core-seconds used
   */
  static double warmUp(int coreSeconds) throws InterruptedException {
    Cpu cpu = new Cpu();
    double marked = 0;
    double compiled = compilerSeconds();
    // Bounded also by time, for systems that do not report CPU time.
    for (int i = 0; i < coreSeconds * 200; i++) {
      Thread.sleep(100);
      double used = cpu.ownSeconds();
      if (used >= marked + 1) {
        double now = compilerSeconds();
        boolean atRest = now - compiled < COMPILING * (used - marked);
        marked = used;
        compiled = now;
        if (used >= coreSeconds && atRest || used >= 4 * coreSeconds) {
          break;
        }
      }
    }
    return cpu.ownSeconds();
  }

  /** Waits until this process has used the given core-seconds. */
  public static void await(int coreSeconds) throws InterruptedException {
    Cpu cpu = new Cpu();
    for (int i = 0; i < coreSeconds * 100 && cpu.ownSeconds() < coreSeconds; i++) {
      Thread.sleep(100);
    }
  }

  /** CPU time of the compiler threads, including compilations in progress. */
  private static double compilerSeconds() {
    double ticks = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path thread : threads) {
        ticks += compilerTicks(thread);
      }
    } catch (IOException e) {
      return 0;
    }
    return ticks * TICK_S;
  }

  private static long compilerTicks(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"));
      int end = stat.lastIndexOf(')');
      if (!stat.substring(0, end).matches("\\d+ \\(C[12] Compiler.*")) {
        return 0;
      }
      String[] fields = stat.substring(end + 2).split(" ");
      return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    } catch (IOException e) {
      // The thread has ended.
      return 0;
    }
  }

  /** CPU time that another process has used since its start. */
  static double secondsOf(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_S;
  }

  public void report(JsonLine json) {
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

  /** Busy time of the machine, including steal: all of /proc/stat except idle and iowait. */
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
