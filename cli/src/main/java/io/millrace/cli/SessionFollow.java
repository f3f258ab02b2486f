package io.millrace.cli;

import io.millrace.client.RunningProgram.End;
import io.millrace.client.Session;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Optional;

/** Stays with a session until it ends, or until somebody interrupts. */
final class SessionFollow {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Console console;
  private final Session session;
  private final boolean endToo;

  /**
   * @param endToo whether the session ends when this command is interrupted
   */
  SessionFollow(Console console, Session session, boolean endToo) {
    this.console = console;
    this.session = session;
    this.endToo = endToo;
  }

  int follow() {
    Thread hook = new Thread(this::interrupted, "sudden-end");
    Runtime.getRuntime().addShutdownHook(hook);
    while (true) {
      Optional<End> end = ended();
      if (end.isPresent()) {
        Runtime.getRuntime().removeShutdownHook(hook);
        boolean good = Session.isGood(end.get());
        console
            .err()
            .println(
                (good ? "" : "millrace: ")
                    + "The session "
                    + session.facts().id()
                    + " has ended ("
                    + end.get().status()
                    + ")"
                    + (end.get().diagnostics().isEmpty() || good
                        ? ""
                        : ": " + Millrace.oneLine(end.get().diagnostics())));
        return good ? ExitCodes.OK : ExitCodes.JOB_FAILED;
      }
      pause();
    }
  }

  /** Whoever runs the machines may start something anew meanwhile. */
  private Optional<End> ended() {
    try {
      return session.ended();
    } catch (UnreachableException e) {
      return Optional.empty();
    }
  }

  private void interrupted() {
    String id = session.facts().id();
    if (!endToo) {
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
      console.err().println("millrace: " + Millrace.oneLine(e.getMessage()));
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
