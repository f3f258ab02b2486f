package io.millrace.cli;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutor;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.program.Program;
import io.millrace.client.PackagedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.graph.Graphs;
import io.millrace.graph.StreamGraph;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows what a program would run. */
@Command(
    name = "info",
    description = {
      "Shows the graphs of a program's first job as JSON, without running it.",
      "The StreamGraph has one node an operator, the JobGraph one a chain of operators."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace info -p 4 examples/word-count.jar"})
final class InfoCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private ConfigurationOption settings;
  @Mixin private ProgramOptions program;

  InfoCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Configuration configuration = program.in(settings.load(console));
    Planner planner = new Planner();
    try (PackagedProgram packaged = program.open(console, configuration)) {
      try {
        packaged.run(new ProgramContext(planner, configuration), program.arguments());
      } catch (MillraceException e) {
        if (planner.planned.isEmpty()) {
          throw e;
        }
      }
      Program planned =
          planner.planned.orElseThrow(
              () ->
                  new MillraceException(
                      ErrorKind.USER,
                      "The program ended without executing a job, so there is no graph to show."
                          + " Does its main call execute()?"));
      StreamGraph graph = Graphs.streamGraph(planned);
      // The job does not run, so it has no id of its own; the same program shows the same graph.
      JobId nobody = new JobId(new Id128(0, 0));
      console.out().println("{");
      console.out().println("\"streamGraph\": " + Graphs.json(graph) + ",");
      console.out().println("\"jobGraph\": " + Graphs.json(Graphs.jobGraph(graph, nobody)));
      console.out().println("}");
      return ExitCodes.OK;
    }
  }

  /** Takes the first job and ends main there: what comes after may need that job's results. */
  private static final class Planner implements JobExecutor {
    private Optional<Program> planned = Optional.empty();

    @Override
    public JobClient execute(Program job) {
      planned = planned.or(() -> Optional.of(job));
      throw new PlanTaken();
    }
  }

  /** An error, because programs that catch exceptions around execute should not go on. */
  private static final class PlanTaken extends Error {
    private static final long serialVersionUID = 1L;

    PlanTaken() {
      super("the graph was taken; the job does not run", null, false, false);
    }
  }
}
