package io.millrace.cli.run;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.program.Program;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.SingleLine;
import io.millrace.client.PackagedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;

/** Runs the main of a program to collect its jobs, without running these. */
final class ProgramPlanner {
  private final Console console;

  /** What jobs that main does not reach are not: "shown", "checked". */
  private final String omitted;

  ProgramPlanner(Console console, String omitted) {
    this.console = console;
    this.omitted = omitted;
  }

  /** The jobs of the program, at least one. */
  List<Program> jobs(
      PackagedProgram packaged, Configuration configuration, List<String> arguments) {
    PlanningExecutor planner = new PlanningExecutor();
    try {
      packaged.run(new ProgramContext(planner, configuration), arguments);
    } catch (MillraceException e) {
      if (planner.jobs().isEmpty()) {
        throw e;
      }
      warn(e);
    }
    if (planner.jobs().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The program ended without executing a job, so it has no graph."
              + " Call execute() on its StreamEnvironment.");
    }
    return planner.jobs();
  }

  private void warn(MillraceException e) {
    boolean needsRecords = e.getCause() instanceof PlanningExecutor.PlanIncompleteError;
    String why = needsRecords ? e.getCause().getMessage() : e.getMessage();
    console
        .err()
        .println(
            "Jobs that main executes from here on are not "
                + omitted
                + ": "
                + SingleLine.of(why)
                + (needsRecords ? ", and this command runs none." : ""));
  }
}
