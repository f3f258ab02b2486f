package io.millrace.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A running command; its output is read continuously. */
final class Command {
  static final Duration BOUND = Duration.ofMinutes(5);

  private final String name;
  private final Process process;
  private final long started = System.nanoTime();
  private final List<String> out = new CopyOnWriteArrayList<>();
  private final List<String> err = new CopyOnWriteArrayList<>();
  private final Thread readsOut;
  private final Thread readsErr;

  Command(ProcessBuilder builder) throws IOException {
    name = String.join(" ", builder.command());
    process = builder.start();
    process.getOutputStream().close();
    readsOut = reader(process.getInputStream(), out);
    readsErr = reader(process.getErrorStream(), err);
  }

  private static Thread reader(InputStream stream, List<String> lines) {
    Thread thread =
        new Thread(
            () -> {
              try (BufferedReader reader =
                  new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                reader.lines().forEach(lines::add);
              } catch (IOException | UncheckedIOException closed) {
                // The streams of a killed process end without a final line.
                lines.add("(" + closed.getMessage() + ")");
              }
            },
            "reads-command");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Waits for the end. Kills the command and fails if it does not end within the bound. */
  Outcome await() {
    try {
      return awaitEnd();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while waiting for " + name, e);
    }
  }

  private Outcome awaitEnd() throws InterruptedException {
    boolean ended = process.waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS);
    Duration elapsed = Duration.ofNanos(System.nanoTime() - started);
    if (!ended) {
      kill();
    }
    // A child process may have inherited the streams; a daemon must not keep them open.
    readsOut.join(5_000);
    readsErr.join(5_000);
    Outcome outcome = new Outcome(name, ended ? process.exitValue() : -1, out, err, elapsed);
    if (!ended) {
      throw new AssertionError("Did not end within " + BOUND + ": " + outcome);
    }
    if (readsOut.isAlive() || readsErr.isAlive()) {
      throw new AssertionError("Another process holds the streams of " + outcome);
    }
    return outcome;
  }

  /** Waits for a line on standard error or output. */
  String awaitLine(Predicate<String> wanted) {
    return Wait.until(
        name + " writes the awaited line; so far: " + out + err,
        () -> {
          if (!process.isAlive() && !readsOut.isAlive() && !readsErr.isAlive()) {
            return find(wanted)
                .or(
                    () -> {
                      throw new AssertionError(
                          name + " ended with " + process.exitValue() + ": " + out + err);
                    });
          }
          return find(wanted);
        });
  }

  private java.util.Optional<String> find(Predicate<String> wanted) {
    return java.util.stream.Stream.concat(err.stream(), out.stream()).filter(wanted).findFirst();
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends SIGTERM. */
  void terminate() {
    process.destroy();
  }

  void kill() {
    process.destroyForcibly();
    try {
      process.waitFor(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
