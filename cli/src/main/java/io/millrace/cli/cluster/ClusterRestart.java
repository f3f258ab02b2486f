package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.RestClusterClient;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.text.Plural;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Restarts dead JobManagers of a cluster, with the same settings and ports. Living TaskManagers
 * register again. If the restart fails, all files stay.
 */
final class ClusterRestart {
  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final Console console;
  private final ClusterDirectory directory;

  ClusterRestart(Console console, ClusterDirectory directory) {
    this.console = console;
    this.directory = directory;
  }

  /** Whether the cluster has lost a JobManager and has stored jobs or living processes. */
  boolean isNeeded() {
    List<ClusterProcess> processes = directory.processes();
    return processes.stream().anyMatch(process -> process.isJobManager() && !process.isAlive())
        && Files.isDirectory(directory.conf())
        && (Files.isDirectory(directory.ha()) || !directory.alive().isEmpty());
  }

  /**
   * @param ignored options of the command line, which do not apply because the cluster keeps its
   *     settings
   */
  void run(List<String> ignored) throws IOException {
    console
        .err()
        .println(
            "The cluster in "
                + directory.root()
                + " has lost a JobManager. The JobManager is restarted with the same settings"
                + (ignored.isEmpty() ? "." : "; not applied: " + String.join(", ", ignored) + "."));
    Configuration configuration = directory.configuration(console.err()::println);
    if (directory.runningAddress().isEmpty()) {
      directory.clearFilesOf(ClusterProcess.JOB_MANAGER);
    }
    new ClusterStarter(console, directory, configuration).restart();
    printJobs();
  }

  private void printJobs() {
    List<JobOverview> jobs = jobs();
    List<JobOverview> running = jobs.stream().filter(job -> !job.status().isTerminal()).toList();
    console
        .out()
        .println(
            "Recovered: "
                + Plural.of(running.size(), "job")
                + " to run again, "
                + (jobs.size() - running.size())
                + " ended before");
    for (JobOverview job : running) {
      console
          .out()
          .println("  " + job.id() + "  " + job.status() + "  " + SingleLine.of(job.name()));
    }
  }

  /** Waits for the Dispatcher, which reads the stored jobs after REST has started. */
  private List<JobOverview> jobs() {
    long deadline = System.nanoTime() + BOUND.toNanos();
    try (RestClusterClient client =
        directory.client(
            directory.runningAddress().orElseThrow(this::ended), Duration.ofSeconds(5))) {
      while (true) {
        try {
          return client.jobs();
        } catch (MillraceException notYet) {
          if (directory.runningAddress().isEmpty()) {
            throw ended();
          }
          if (System.nanoTime() > deadline) {
            throw notYet;
          }
        }
        ClusterStarter.pause(PAUSE);
      }
    }
  }

  private MillraceException ended() {
    Path log = directory.log(ClusterProcess.JOB_MANAGER);
    try {
      return new MillraceException(
          ErrorKind.EXTERNAL,
          "The JobManager ended during its recovery"
              + ProcessLauncher.printedReason(directory, ClusterProcess.JOB_MANAGER)
                  .map(reason -> ": " + reason + " Its log is " + log)
                  .orElse(". See its log: " + log));
    } catch (IOException e) {
      throw new UncheckedIOException("The output of the JobManager cannot be read", e);
    }
  }
}
