package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.RestClusterClient;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that prints a report about one job, as text or as JSON. */
abstract class JobReportCommand implements Callable<Integer>, StyledCommand {
  private final Console console;
  private final String path;
  private final BiFunction<RestClusterClient, JobId, Optional<List<String>>> text;

  @Mixin private JobIdMixin job;

  @Option(names = "--json", description = "Print the answer of the REST API.")
  private boolean json;

  @Mixin private ClusterMixin cluster;

  /**
   * @param path the path of the report in the REST API, relative to the job
   * @param text the lines of the report; empty if the cluster does not know the job
   */
  JobReportCommand(
      Console console,
      String path,
      BiFunction<RestClusterClient, JobId, Optional<List<String>>> text) {
    this.console = console;
    this.path = path;
    this.text = text;
  }

  @Override
  public final Integer call() {
    JobId id = job.id();
    try (RestClusterClient client = cluster.cluster(console)) {
      Optional<List<String>> lines =
          json ? client.json("/jobs/" + id + "/" + path).map(List::of) : text.apply(client, id);
      lines.orElseThrow(() -> JobIdMixin.unknown(id, client)).forEach(console.out()::println);
      return ExitCodes.OK;
    }
  }
}
