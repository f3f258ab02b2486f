package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.common.TextTable;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.RestClusterClient;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.text.ReasonText;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the jobs of a cluster. */
@Command(
    name = "list",
    description = "Lists the jobs of a cluster that have not ended, and what they wait for.",
    sortOptions = false,
    footer = {"", "Examples:", "  millrace list", "  millrace list -a -m 127.0.0.1:8081"})
public final class ListCommand implements Callable<Integer>, StyledCommand {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private final Console console;

  @Option(
      names = {"-a", "--all"},
      description = "Also list ended jobs.")
  private boolean all;

  @Mixin private ClusterMixin cluster;

  public ListCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (RestClusterClient client = cluster.cluster(console)) {
      List<JobOverview> jobs =
          client.jobs().stream()
              .filter(job -> all || !job.status().isTerminal())
              .sorted(Comparator.comparingLong(JobOverview::startedAt).reversed())
              .toList();
      if (jobs.isEmpty()) {
        console.out().println(all ? "There are no jobs." : "No jobs are running.");
        return ExitCodes.OK;
      }
      TextTable table = new TextTable("JOB ID", "STATE", "STARTED", "TASKS", "NAME");
      for (JobOverview job : jobs) {
        table.row(
            job.id().toString(),
            job.status().name(),
            job.startedAt() < 0 ? "-" : TIME.format(Instant.ofEpochMilli(job.startedAt())),
            String.valueOf(job.tasks().values().stream().mapToInt(Integer::intValue).sum()),
            SingleLine.of(job.name()));
        job.waitingFor()
            .ifPresent(reason -> table.note("waiting: " + SingleLine.of(ReasonText.of(reason))));
      }
      table.print(console.out());
      return ExitCodes.OK;
    }
  }
}
