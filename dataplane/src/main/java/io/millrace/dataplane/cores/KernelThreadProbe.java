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
 * A thread of this process. Only the kernel knows whether a thread waits for a processor: for the
 * JVM one in a socket's read is as runnable as one that computes. Where the kernel does not say,
 * the JVM's word has to do.
 */
final class KernelThreadProbe implements ThreadProbe {
  private static final Logger LOG = LoggerFactory.getLogger(KernelThreadProbe.class);
  private static final Path SELF = Path.of("/proc/thread-self");

  private final Thread thread;

  /** Where the kernel tells of it. */
  private final Optional<Path> kernel;

  private KernelThreadProbe(Thread thread, Optional<Path> kernel) {
    this.thread = thread;
    this.kernel = kernel;
  }

  static KernelThreadProbe ofCurrentThread() {
    return new KernelThreadProbe(Thread.currentThread(), kernelOfCurrentThread());
  }

  /** The current thread where there is no kernel to ask. */
  static KernelThreadProbe ofCurrentThreadAsTheJvmSeesIt() {
    return new KernelThreadProbe(Thread.currentThread(), Optional.empty());
  }

  private static Optional<Path> kernelOfCurrentThread() {
    try {
      // The link leads to <process>/task/<thread>; it has to be followed by the thread itself.
      Path found = SELF.resolveSibling(Files.readSymbolicLink(SELF));
      return Files.isReadable(found.resolve("schedstat")) ? Optional.of(found) : Optional.empty();
    } catch (IOException | UnsupportedOperationException e) {
      LOG.trace("The kernel does not tell of threads", e);
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
      // The name of the thread is in brackets and may itself have some; the state comes next.
      return line.get().charAt(line.get().lastIndexOf(')') + 2) != 'R';
    }
    return thread.getState() != Thread.State.RUNNABLE || isInNative(thread.getStackTrace());
  }

  private static boolean isInNative(StackTraceElement[] stack) {
    return stack.length > 0 && stack[0].isNativeMethod();
  }

  /** Time on a processor, time in wait for one. */
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
      // The thread has ended; what the JVM says of it then is as good.
      LOG.trace("Thread {} is gone", thread.getName(), e);
      return Optional.empty();
    }
  }

  /** Loaded where there is no kernel to ask: it takes a while, which a short job would notice. */
  private static final class Jvm {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  }
}
