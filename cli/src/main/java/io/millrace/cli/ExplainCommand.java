package io.millrace.cli;

import io.millrace.client.RestClusterClient;
import io.millrace.core.id.JobId;
import io.millrace.protocol.Explanation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells why a job is where it is. */
@Command(
    name = "explain",
    description = {
      "Tells why a job is where it is: what it waits for, what was asked of whom and answered, and",
      "what would help; where its slots are and why there; what its failures led to."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace explain 5e20cb6b0f357591171dfcca2eea09de",
      "  millrace explain --json -m 127.0.0.1:8081 5e20cb6b0f357591171dfcca2eea09de"
    })
final class ExplainCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private JobArgument job;

  @Option(names = "--json", description = "Print what REST answers.")
  private boolean json;

  @Mixin private ClusterOptions cluster;

  ExplainCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    JobId id = job.id();
    try (RestClusterClient client = cluster.cluster(console)) {
      if (json) {
        console
            .out()
            .println(
                client
                    .json("/jobs/" + id + "/explain")
                    .orElseThrow(() -> JobArgument.unknown(id, client)));
      } else {
        Explanation explanation =
            client.explain(id).orElseThrow(() -> JobArgument.unknown(id, client));
        ExplanationPage.lines(explanation, console.width()).forEach(console.out()::println);
      }
      return ExitCodes.OK;
    }
  }
}
