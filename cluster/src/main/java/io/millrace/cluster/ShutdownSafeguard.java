package io.millrace.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the JVM when shutdown hooks hang. A process that a program, a plugin or a library shares
 * cannot trust their hooks, whoever began the shutdown: a signal, the program or the process
 * itself.
 */
public final class ShutdownSafeguard {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownSafeguard.class);

  /** How long shutdown hooks may take. */
  static final Duration BOUND = Duration.ofSeconds(10);

  /** A log on a disk that does not answer must not keep the process alive either. */
  private static final Duration LOG_BOUND = Duration.ofSeconds(1);

  private final String process;
  private final Supplier<OptionalInt> exitCode;
  private final Optional<ShutdownHooks> hooks;

  /**
   * @param exitCode what to end with, where that is not the code that the JVM was asked to end
   *     with; asked when the bound has passed
   * @param hooks those of the JVM, where they can be given up
   */
  ShutdownSafeguard(String process, Supplier<OptionalInt> exitCode, Optional<ShutdownHooks> hooks) {
    this.process = process;
    this.exitCode = exitCode;
    this.hooks = hooks;
  }

  /** For a process that runs a program and ends with whatever code {@code System.exit} gets. */
  public static void install(String process) {
    AtomicReference<ShutdownSafeguard> safeguard = new AtomicReference<>();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> safeguard.get().arm(), process + "-shutdown"));
    safeguard.set(new ShutdownSafeguard(process, OptionalInt::empty, ShutdownHooks.install()));
  }

  /** Called by a shutdown hook: the time runs from now on. */
  void arm() {
    daemon(process + "-safeguard", this::endAfterBound);
  }

  private void endAfterBound() {
    try {
      Thread.sleep(BOUND.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    OptionalInt code =
        hooks.isPresent()
            ? exitCode.get()
            : OptionalInt.of(exitCode.get().orElse(ExitCode.UNKNOWN.code()));
    try {
      daemon(process + "-safeguard-log", () -> report(code)).join(LOG_BOUND.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (code.isPresent()) {
        Runtime.getRuntime().halt(code.getAsInt());
      } else {
        hooks.orElseThrow().giveUp();
      }
    }
  }

  private void report(OptionalInt code) {
    String sentence =
        "Shutdown hooks of "
            + process
            + " have not ended within "
            + BOUND.toSeconds()
            + " s. The JVM is ended without them, with "
            + (code.isPresent()
                ? "exit code " + code.getAsInt() + "."
                : "the exit code that it was asked to end with.");
    LOG.error("{} Threads that are no daemons: {}", sentence, nonDaemons());
    System.err.println(sentence);
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
