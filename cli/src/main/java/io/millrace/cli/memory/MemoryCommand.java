package io.millrace.cli.memory;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows how the memory of a process is divided. */
@Command(
    name = "memory",
    description = {
      "Shows how the memory of a process is divided, and the JVM flags that follow from it.",
      "Options that contradict each other are refused with exit code 2."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace memory",
      "  millrace memory --process jobmanager --json -D jobmanager.memory.process.size=2g"
    })
public final class MemoryCommand implements Callable<Integer> {
  private final Console console;
  private final CommonMixin common;

  @Option(
      names = "--process",
      paramLabel = "PROCESS",
      defaultValue = "taskmanager",
      description = "taskmanager or jobmanager. Default: ${DEFAULT-VALUE}.")
  private String process;

  @Option(names = "--json", description = "Print one JSON object with all sizes in bytes.")
  private boolean json;

  @Mixin private ConfigurationMixin settings;

  public MemoryCommand(Console console, CommonMixin common) {
    this.console = console;
    this.common = common;
  }

  @Override
  public Integer call() {
    MemoryReport memory;
    try {
      memory = MemoryReport.of(process, settings.load(console));
    } catch (MillraceException e) {
      if (e.kind() != ErrorKind.USER || common.isVerbose()) {
        throw e;
      }
      console.err().println("millrace: " + SingleLine.of(e.getMessage()));
      return ExitCodes.USAGE;
    }
    if (json) {
      console.out().println(json(memory));
    } else {
      memory.box().lines().forEach(console.out()::println);
      console.out().println("JVM: " + String.join(" ", memory.jvmArguments()));
    }
    return ExitCodes.OK;
  }

  /** Names and flags have no character that JSON must escape. */
  private static String json(MemoryReport memory) {
    String sizes =
        memory.sizes().entrySet().stream()
            .map(size -> "\"" + size.getKey() + "\": " + size.getValue())
            .collect(Collectors.joining(", "));
    String arguments =
        memory.jvmArguments().stream()
            .map(argument -> "\"" + argument + "\"")
            .collect(Collectors.joining(", "));
    return "{" + sizes + ", \"jvm-args\": [" + arguments + "]}";
  }
}
