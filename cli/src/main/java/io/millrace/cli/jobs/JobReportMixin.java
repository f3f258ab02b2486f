package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.RestClusterClient;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that shows a page about one job, for people or as JSON. */
final class JobReportMixin {
  @Mixin private JobIdMixin job;

  @Option(names = "--json", description = "Print what REST answers.")
  private boolean json;

  @Mixin private ClusterMixin cluster;

  /**
   * @param path below the job's, where REST has the page
   * @param lines the page for people; nothing where the cluster knows no such job
   */
  int show(
      Console console,
      String path,
      BiFunction<RestClusterClient, JobId, Optional<List<String>>> lines) {
    JobId id = job.id();
    try (RestClusterClient client = cluster.cluster(console)) {
      Optional<List<String>> page =
          json ? client.json("/jobs/" + id + "/" + path).map(List::of) : lines.apply(client, id);
      page.orElseThrow(() -> JobIdMixin.unknown(id, client)).forEach(console.out()::println);
      return ExitCodes.OK;
    }
  }
}
