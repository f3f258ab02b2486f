package io.millrace.cli.server;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ProgramMixin;
import io.millrace.cli.log.LogbackConfigurator;
import io.millrace.cluster.ApplicationProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** Runs a JobManager in the foreground that calls the main of a program. */
@Command(
    name = ApplicationCommand.NAME,
    description = {
      "Runs a JobManager in the foreground for one program, whose main it calls itself.",
      "Start TaskManagers with `millrace taskmanager`. The JobManager ends with the program and its"
          + " jobs. Its exit code is 0 if all succeeded, 3 if a job failed or main threw, 4 if a"
          + " job was cancelled, 5 if the outcome is unknown, 1 if the program cannot be loaded or"
          + " the JobManager cannot start, 2 after a fatal error."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace taskmanager -D taskmanager.numberOfTaskSlots=4 &",
      "  millrace jobmanager application -p 4 examples/word-count.jar --output counts"
    })
final class ApplicationCommand implements Callable<Integer> {
  static final String NAME = "application";

  private final Console console;
  private final CommonMixin common;

  @ParentCommand private JobManagerCommand jobManager;
  @Mixin private ProgramMixin program;
  @Mixin private ConfigurationMixin settings;

  ApplicationCommand(Console console, CommonMixin common) {
    this.console = console;
    this.common = common;
  }

  @Override
  public Integer call() {
    if (common.isVerbose()) {
      LogbackConfigurator.enableDebug();
    }
    List<String> overrides = new ArrayList<>(jobManager.overrides());
    overrides.addAll(settings.overrides());
    overrides.addAll(program.overrides());
    return ApplicationProcess.run(overrides, program.application(console));
  }
}
