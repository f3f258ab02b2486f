package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ConsoleProgress;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.Session;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Optional;

/** Stays with a session until it ends, or until somebody interrupts. */
final class SessionMonitor {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Console console;
  private final Session session;
  private final boolean stopOnInterrupt;

  /**
   * @param stopOnInterrupt whether the session ends when this command is interrupted
   */
  SessionMonitor(Console console, Session session, boolean stopOnInterrupt) {
    this.console = console;
    this.session = session;
    this.stopOnInterrupt = stopOnInterrupt;
  }

  int follow() {
    Thread hook = new Thread(this::interrupted, "interrupt-handler");
    Runtime.getRuntime().addShutdownHook(hook);
    while (true) {
      Optional<Outcome> end = ended();
      if (end.isPresent()) {
        Runtime.getRuntime().removeShutdownHook(hook);
        boolean good = Session.isGood(end.get());
        console
            .err()
            .println(
                (good ? "" : "millrace: ")
                    + "The session "
                    + session.info().id()
                    + " has ended ("
                    + end.get().status()
                    + ")"
                    + (end.get().diagnostics().isEmpty() || good
                        ? ""
                        : ": " + SingleLine.of(end.get().diagnostics())));
        return good ? ExitCodes.OK : ExitCodes.JOB_FAILED;
      }
      pause();
    }
  }

  /** Whoever runs the machines may start something anew meanwhile. */
  private Optional<Outcome> ended() {
    try {
      return session.ended();
    } catch (UnreachableException e) {
      return Optional.empty();
    }
  }

  private void interrupted() {
    String id = session.info().id();
    if (!stopOnInterrupt) {
      console
          .err()
          .println(
              "The session "
                  + id
                  + " runs on. Come back with: millrace session attach "
                  + id
                  + ", end it with: millrace session stop "
                  + id);
      return;
    }
    try {
      session.stop(new ConsoleProgress(console));
      console.err().println("The session " + id + " was stopped.");
    } catch (MillraceException e) {
      console.err().println("millrace: " + SingleLine.of(e.getMessage()));
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.USER, "Interrupted.", e);
    }
  }
}
