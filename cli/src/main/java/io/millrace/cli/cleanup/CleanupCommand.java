package io.millrace.cli.cleanup;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.TextTable;
import io.millrace.cli.common.UsageException;
import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupFinding.Verdict;
import io.millrace.client.CleanupRequest;
import io.millrace.cluster.ClusterCleanup;
import io.millrace.core.config.Durations;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes what ended clusters have left. */
@Command(
    name = "cleanup",
    description = {
      "Lists and removes what ended clusters have left: recovery data in ZooKeeper, files in"
          + " high-availability.storageDir, checkpoints of their jobs, and files and libraries staged for a cluster manager.",
      "What a cluster uses, or may use, is kept, with the reason. A cluster lives while one of its"
          + " JobManagers is connected to ZooKeeper, or while its application runs.",
      "The exit code is 0, or 1 if something could not be looked at or removed."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace cleanup --dry-run -D high-availability.type=zookeeper \\",
      "    -D high-availability.zookeeper.quorum=one:2181,two:2181,three:2181"
    })
public final class CleanupCommand implements Callable<Integer> {
  private final Console console;

  @Option(names = "--dry-run", description = "Only list; remove nothing.")
  private boolean dryRun;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description =
          "Keep what has changed within this time, because a cluster may be starting. Default: 1"
              + " h.")
  private String olderThan = "1 h";

  @Option(
      names = "--with-jobs",
      description =
          "Also remove ended clusters with jobs that have not ended, which a JobManager with the"
              + " id of the cluster would recover.")
  private boolean withJobs;

  @Option(
      names = "--unreferenced",
      description =
          "Also remove directories in high-availability.storageDir and execution.checkpointing.dir"
              + " that no cluster in ZooKeeper refers to; checkpoints only if none is complete. Also"
              + " archives of libraries that no application uses. Not if other clusters use"
              + " these directories.")
  private boolean unreferenced;

  @Mixin private ConfigurationMixin settings;

  public CleanupCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws Exception {
    Duration age = age();
    List<CleanupFinding> findings =
        ClusterCleanup.run(
            new CleanupRequest(dryRun, age, withJobs, unreferenced),
            settings.load(console),
            console.process());
    if (findings.isEmpty()) {
      console.out().println("Nothing was found.");
      return ExitCodes.OK;
    }
    TextTable table = new TextTable("", "What", "Where", "Why");
    for (CleanupFinding finding : findings) {
      table.row(outcome(finding.verdict()), finding.kind(), finding.item(), finding.reason());
    }
    table.print(console.out());
    console
        .out()
        .println(
            (dryRun ? "Would remove " : "Removed ")
                + count(findings, Verdict.REMOVED)
                + ", kept "
                + count(findings, Verdict.KEPT)
                + ", failed "
                + count(findings, Verdict.FAILED)
                + ".");
    return count(findings, Verdict.FAILED) == 0 ? ExitCodes.OK : ExitCodes.ERROR;
  }

  private Duration age() {
    try {
      return Durations.parse(olderThan);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--older-than: " + e.getMessage() + ".");
    }
  }

  private String outcome(Verdict verdict) {
    return switch (verdict) {
      case REMOVED -> dryRun ? "would remove" : "removed";
      case KEPT -> "kept";
      case FAILED -> "failed";
    };
  }

  private static long count(List<CleanupFinding> findings, Verdict verdict) {
    return findings.stream().filter(finding -> finding.verdict() == verdict).count();
  }
}
