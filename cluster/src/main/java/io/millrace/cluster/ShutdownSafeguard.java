package io.millrace.cluster;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the JVM if shutdown hooks hang. Hooks of programs, plugins and libraries may hang after each
 * kind of shutdown: by a signal, by the program or by the process itself.
 */
public final class ShutdownSafeguard {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownSafeguard.class);

  /** The timeout of shutdown hooks. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Logging to a disk that hangs must not keep the process alive either. */
  private static final Duration LOG_TIMEOUT = Duration.ofSeconds(1);

  private final String process;
  private final Supplier<OptionalInt> exitCode;
  private final ShutdownHooks hooks;

  /**
   * @param exitCode the code to end with; empty for the code that the JVM already has. Called after
   *     the timeout
   * @param hooks the hooks to abandon after the timeout
   */
  ShutdownSafeguard(String process, Supplier<OptionalInt> exitCode, ShutdownHooks hooks) {
    this.process = process;
    this.exitCode = exitCode;
    this.hooks = hooks;
  }

  /** For a process that runs a program and ends with the code of {@code System.exit}. */
  public static void install(String process) {
    AtomicReference<ShutdownSafeguard> safeguard = new AtomicReference<>();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> safeguard.get().arm(), process + "-shutdown"));
    safeguard.set(new ShutdownSafeguard(process, OptionalInt::empty, ShutdownHooks.install()));
  }

  /** Called by a shutdown hook: starts the timeout. */
  void arm() {
    daemon(process + "-safeguard", this::endAfterTimeout);
  }

  private void endAfterTimeout() {
    try {
      Thread.sleep(TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    OptionalInt code =
        hooks.isAbandonable()
            ? exitCode.get()
            : OptionalInt.of(exitCode.get().orElse(ExitCode.UNKNOWN.code()));
    try {
      daemon(process + "-safeguard-log", () -> report(code)).join(LOG_TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (code.isPresent()) {
        Runtime.getRuntime().halt(code.getAsInt());
      } else {
        hooks.abandon();
      }
    }
  }

  private void report(OptionalInt code) {
    String sentence =
        "Shutdown hooks of "
            + process
            + " have not ended within "
            + TIMEOUT.toSeconds()
            + " s. The JVM is ended without them, with "
            + (code.isPresent()
                ? "exit code " + code.getAsInt() + "."
                : "the exit code that it was asked to end with.");
    LOG.error("{} Threads that are no daemons: {}", sentence, nonDaemons());
    System.err.println(sentence);
  }

  /** The non-daemon threads, shutdown hooks among them, with their top stack frames. */
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
