package io.millrace.cli.run;

import io.millrace.api.program.Program;
import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.ProgramMixin;
import io.millrace.client.PackagedProgram;
import io.millrace.control.scheduler.ExecutionPlan;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import io.millrace.graph.StreamGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the graphs of a program's jobs. */
@Command(
    name = "info",
    description = {
      "Shows the graphs of a program's jobs as JSON, without running them.",
      "The StreamGraph has one node per operator, the JobGraph one per chain of operators, the"
          + " ExecutionGraph one per subtask, with its slot and its region. Main runs, and each of"
          + " its jobs appears to finish at once; main ends where it reads records of a job."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace info -p 4 examples/word-count.jar"})
public final class InfoCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private ConfigurationMixin settings;
  @Mixin private ProgramMixin program;

  @Option(
      names = "--plan-file",
      paramLabel = "FILE",
      description = "Write the JobGraph of the first job to this file instead of showing all.")
  private Optional<Path> planFile = Optional.empty();

  public InfoCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Configuration configuration = program.in(settings.load(console));
    try (PackagedProgram packaged = program.open(console, configuration)) {
      List<Program> jobs =
          new ProgramPlanner(console, "shown").jobs(packaged, configuration, program.arguments());
      if (planFile.isPresent()) {
        write(Graphs.json(Graphs.jobGraph(jobs.get(0), PlanningExecutor.id(0))), planFile.get());
        return ExitCodes.OK;
      }
      console.out().println("{\"jobs\": [");
      for (int i = 0; i < jobs.size(); i++) {
        show(jobs.get(i), i, i + 1 < jobs.size() ? "}," : "}");
      }
      console.out().println("]}");
      return ExitCodes.OK;
    }
  }

  private static void write(String plan, Path file) {
    try {
      Files.writeString(file, plan);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER, "The graph cannot be written to " + file + ": " + Failure.sentence(e), e);
    }
  }

  private void show(Program job, int number, String end) {
    StreamGraph streamGraph = Graphs.streamGraph(job);
    JobGraph jobGraph = Graphs.jobGraph(streamGraph, PlanningExecutor.id(number));
    console.out().println("{");
    console.out().println("\"streamGraph\": " + Graphs.json(streamGraph) + ",");
    console.out().println("\"jobGraph\": " + Graphs.json(jobGraph) + ",");
    console.out().println("\"executionGraph\": " + ExecutionPlan.json(jobGraph));
    console.out().println(end);
  }
}
