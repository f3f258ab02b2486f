package io.millrace.cluster;

import java.time.Duration;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Halts the JVM when shutdown hooks hang. A process that a program, a plugin or a library shares
 * cannot trust their hooks, whoever began the shutdown: a signal, the program or the process
 * itself.
 */
final class ShutdownSafeguard {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownSafeguard.class);

  /** A log on a disk that does not answer must not keep the process alive either. */
  private static final Duration LOG_BOUND = Duration.ofSeconds(1);

  private final String process;
  private final Duration bound;
  private final IntSupplier exitCode;
  private final IntConsumer halt;

  /**
   * @param bound how long shutdown hooks may take
   * @param exitCode what to halt with; asked when the bound has passed
   * @param halt ends the process without running hooks
   */
  ShutdownSafeguard(String process, Duration bound, IntSupplier exitCode, IntConsumer halt) {
    this.process = process;
    this.bound = bound;
    this.exitCode = exitCode;
    this.halt = halt;
  }

  /** Called by a shutdown hook: the time runs from now on. */
  void arm() {
    daemon(process + "-safeguard", this::haltAfterBound);
  }

  private void haltAfterBound() {
    try {
      Thread.sleep(bound.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    int code = exitCode.getAsInt();
    try {
      daemon(process + "-safeguard-log", () -> report(code)).join(LOG_BOUND.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      halt.accept(code);
    }
  }

  private void report(int code) {
    LOG.error(
        "Shutdown hooks of {} have not ended within {} s. The JVM is halted with exit code {}."
            + " Threads that are no daemons: {}",
        process,
        bound.toSeconds(),
        code,
        nonDaemons());
  }

  /** Shutdown hooks are among them. */
  private static List<String> nonDaemons() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> !entry.getKey().isDaemon())
        .map(
            entry ->
                entry.getKey().getName()
                    + (entry.getValue().length == 0 ? "" : " at " + entry.getValue()[0]))
        .sorted()
        .toList();
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
