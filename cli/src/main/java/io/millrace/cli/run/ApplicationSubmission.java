package io.millrace.cli.run;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ConsoleProgress;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.client.ProgramTarget;
import io.millrace.client.RunningProgram;
import io.millrace.client.ShippedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.reason.ApplicationStatus;

/** Submits a program whose main runs in a cluster, and waits for its end. */
final class ApplicationSubmission {
  private final Console console;
  private final boolean verbose;

  ApplicationSubmission(Console console, boolean verbose) {
    this.console = console;
    this.verbose = verbose;
  }

  int run(ProgramTarget target, ShippedProgram program, Configuration configuration) {
    boolean attached = configuration.get(DeploymentOptions.ATTACHED);
    RunningProgram running = target.start(program, configuration, new ConsoleProgress(console));
    if (!attached) {
      console.out().println("Program has been submitted as " + running.id());
      console.err().println(running.followUpCommands());
      return ExitCodes.OK;
    }
    Thread hook =
        new Thread(
            () -> interrupted(running, configuration.get(DeploymentOptions.SHUTDOWN_IF_ATTACHED)),
            "interrupt-handler");
    Runtime.getRuntime().addShutdownHook(hook);
    RunningProgram.Outcome end;
    try {
      end = running.await(new RunProgress(console, true));
    } finally {
      removeHook(hook);
    }
    return report(running, end);
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook runs already.
      return;
    }
  }

  private void interrupted(RunningProgram running, boolean stopOnInterrupt) {
    if (!stopOnInterrupt) {
      console.err().println(running.id() + " continues. " + running.followUpCommands());
      return;
    }
    try {
      running.end();
      console
          .err()
          .println(
              running.id()
                  + " was killed because "
                  + DeploymentOptions.SHUTDOWN_IF_ATTACHED.key()
                  + " is set.");
    } catch (MillraceException e) {
      console.err().println("millrace: " + SingleLine.of(e.getMessage()));
      console.err().println(running.followUpCommands());
    }
  }

  private int report(RunningProgram running, RunningProgram.Outcome end) {
    String why =
        end.diagnostics().isEmpty()
            ? ""
            : ": " + (verbose ? end.diagnostics() : SingleLine.of(end.diagnostics()));
    console
        .err()
        .println(
            switch (end.status()) {
              case SUCCEEDED -> "The program (" + running.id() + ") finished";
              case CANCELED -> "millrace: The program (" + running.id() + ") was cancelled" + why;
              case FAILED -> "millrace: The program (" + running.id() + ") failed" + why;
              case UNKNOWN ->
                  "millrace: The outcome of the program (" + running.id() + ") is unknown" + why;
            });
    return code(end.status());
  }

  private static int code(ApplicationStatus status) {
    return switch (status) {
      case SUCCEEDED -> ExitCodes.OK;
      case FAILED -> ExitCodes.JOB_FAILED;
      case CANCELED -> ExitCodes.JOB_CANCELED;
      case UNKNOWN -> ExitCodes.UNKNOWN;
    };
  }
}
