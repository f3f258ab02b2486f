package io.millrace.cli;

import io.millrace.client.RestClusterClient;
import io.millrace.core.id.JobId;
import io.millrace.protocol.Timeline;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the life of a job. */
@Command(
    name = "timeline",
    description = {
      "Shows the life of a job step by step: when each began, how long it took, which process took",
      "it. Times are of the JobManager's clock."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace timeline 5e20cb6b0f357591171dfcca2eea09de",
      "  millrace timeline --json -m 127.0.0.1:8081 5e20cb6b0f357591171dfcca2eea09de"
    })
final class TimelineCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private JobArgument job;

  @Option(names = "--json", description = "Print what REST answers.")
  private boolean json;

  @Mixin private ClusterOptions cluster;

  TimelineCommand(Console console) {
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
                    .json("/jobs/" + id + "/timeline")
                    .orElseThrow(() -> JobArgument.unknown(id, client)));
      } else {
        Timeline timeline = client.timeline(id).orElseThrow(() -> JobArgument.unknown(id, client));
        TimelineChart.lines(timeline, console.width()).forEach(console.out()::println);
      }
      return ExitCodes.OK;
    }
  }
}
