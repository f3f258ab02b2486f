package io.millrace.dataplane.cores;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures a thread through {@code /proc}. Only the kernel knows whether a thread waits for a
 * processor: the JVM reports a thread in a socket read as runnable. Without {@code /proc} the state
 * that the JVM reports is used.
 */
final class KernelThreadProbe implements ThreadProbe {
  private static final Logger LOG = LoggerFactory.getLogger(KernelThreadProbe.class);
  private static final Path SELF = Path.of("/proc/thread-self");

  private final Thread thread;

  /** The directory of the thread in /proc. */
  private final Optional<Path> kernel;

  private KernelThreadProbe(Thread thread, Optional<Path> kernel) {
    this.thread = thread;
    this.kernel = kernel;
  }

  static KernelThreadProbe ofCurrentThread() {
    return new KernelThreadProbe(Thread.currentThread(), kernelOfCurrentThread());
  }

  /** A probe of the current thread that does not use /proc. */
  static KernelThreadProbe ofCurrentThreadWithoutKernel() {
    return new KernelThreadProbe(Thread.currentThread(), Optional.empty());
  }

  private static Optional<Path> kernelOfCurrentThread() {
    try {
      // The link points to <process>/task/<thread>; the thread itself must resolve it.
      Path found = SELF.resolveSibling(Files.readSymbolicLink(SELF));
      return Files.isReadable(found.resolve("schedstat")) ? Optional.of(found) : Optional.empty();
    } catch (IOException | UnsupportedOperationException e) {
      LOG.trace("/proc has no schedstat of threads", e);
      return Optional.empty();
    }
  }

  @Override
  public long cpuNanos() {
    Optional<String[]> times = times();
    return times.isPresent()
        ? Long.parseLong(times.get()[0])
        : Jvm.THREADS.getThreadCpuTime(thread.getId());
  }

  @Override
  public long starvedNanos() {
    return times().map(times -> Long.parseLong(times[1])).orElse(0L);
  }

  @Override
  public boolean isAsleep() {
    Optional<String> line = read("stat");
    if (line.isPresent()) {
      // The state follows the thread name, which is in brackets and may contain brackets.
      return line.get().charAt(line.get().lastIndexOf(')') + 2) != 'R';
    }
    return thread.getState() != Thread.State.RUNNABLE || isInNative(thread.getStackTrace());
  }

  private static boolean isInNative(StackTraceElement[] stack) {
    return stack.length > 0 && stack[0].isNativeMethod();
  }

  /** CPU time and time spent waiting for a processor. */
  private Optional<String[]> times() {
    return read("schedstat").map(line -> line.split(" "));
  }

  private Optional<String> read(String file) {
    if (kernel.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.readString(kernel.get().resolve(file)).strip());
    } catch (IOException e) {
      // The thread has ended.
      LOG.trace("Thread {} has ended", thread.getName(), e);
      return Optional.empty();
    }
  }

  /** Loaded only without /proc, because loading takes long for a short job. */
  private static final class Jvm {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  }
}
