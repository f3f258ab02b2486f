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

/** Waits for the end of a session or an interrupt of the command. */
final class SessionMonitor {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Console console;
  private final Session session;
  private final boolean stopOnInterrupt;

  /**
   * @param stopOnInterrupt whether an interrupt of this command stops the session
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
        boolean success = Session.isSuccess(end.get());
        console
            .err()
            .println(
                (success ? "" : "millrace: ")
                    + "The session "
                    + session.info().id()
                    + " has ended ("
                    + end.get().status()
                    + ")"
                    + (end.get().diagnostics().isEmpty() || success
                        ? ""
                        : ": " + SingleLine.of(end.get().diagnostics())));
        return success ? ExitCodes.OK : ExitCodes.JOB_FAILED;
      }
      pause();
    }
  }

  /** An unreachable resource manager may be restarting, so the wait continues. */
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
                  + " continues. Attach to it again with: millrace session attach "
                  + id
                  + ", end it with: millrace session stop "
                  + id);
      return;
    }
    try {
      // The user has asked for the end with the start.
      session.stop(new ConsoleProgress(console), why -> true);
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
      throw new MillraceException(
          ErrorKind.USER,
          "The wait for the end of the session was interrupted. The session continues.",
          e);
    }
  }
}
