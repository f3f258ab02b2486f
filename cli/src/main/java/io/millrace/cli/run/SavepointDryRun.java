package io.millrace.cli.run;

import io.millrace.api.program.Program;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.ProgramMixin;
import io.millrace.client.PackagedProgram;
import io.millrace.client.PluginServices;
import io.millrace.client.SavepointFit;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.graph.Graphs;
import java.util.List;

/** Checks whether the jobs of a program can start with a savepoint, without running them. */
final class SavepointDryRun {
  private final Console console;

  SavepointDryRun(Console console) {
    this.console = console;
  }

  int check(ProgramMixin program, Configuration configuration) {
    String path = configuration.get(StateRecoveryOptions.PATH);
    FileSystems files =
        FileSystems.of(PluginServices.plugins(console.process(), configuration), configuration);
    int code = ExitCodes.OK;
    try (PackagedProgram packaged = program.open(console, configuration)) {
      List<Program> jobs =
          new ProgramPlanner(console, "checked").jobs(packaged, configuration, program.arguments());
      for (int i = 0; i < jobs.size(); i++) {
        SavepointFit fit =
            SavepointFit.of(
                files,
                path,
                Graphs.jobGraph(jobs.get(i), PlanningExecutor.id(i)),
                configuration.get(StateRecoveryOptions.IGNORE_UNCLAIMED_STATE),
                packaged.classes());
        report(jobs.get(i), path, fit);
        if (!fit.fits()) {
          code = ExitCodes.ERROR;
        }
      }
    }
    return code;
  }

  private void report(Program job, String path, SavepointFit fit) {
    if (fit.fits()) {
      console.out().println("Job '" + job.name() + "' can start with the state of '" + path + "'.");
      fit.notes().forEach(console.out()::println);
    } else {
      console
          .err()
          .println(
              "millrace: Job '" + job.name() + "' cannot start with the state of '" + path + "'.");
      fit.problems().forEach(console.err()::println);
    }
  }
}
