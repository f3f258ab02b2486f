package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.TextTable;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.client.RestClusterClient.Worker;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows a cluster. */
@Command(
    name = "status",
    description = {
      "Shows the processes of a cluster on this machine, its REST address and its slots.",
      "The exit code is 0 if all processes are alive."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster status"})
final class ClusterStatus implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Console console;

  @Mixin private DirectoryMixin directory;

  ClusterStatus(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    ClusterDirectory clusterDirectory = directory.directory(console);
    List<ClusterProcess> processes = clusterDirectory.processes();
    if (processes.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "No cluster runs in "
              + clusterDirectory.root()
              + ". Start one with `millrace cluster start`.");
    }
    Map<String, Worker> workers = new TreeMap<>();
    Optional<HostPort> leader =
        clusterDirectory
            .runningAddress()
            .map(
                address -> {
                  try (RestClusterClient client = clusterDirectory.client(address, TIMEOUT)) {
                    client.workers().forEach(worker -> workers.put(worker.id(), worker));
                    return client.leader();
                  }
                });
    console.out().println("Directory:    " + clusterDirectory.root());
    clusterDirectory
        .address()
        .ifPresent(
            address ->
                console.out().println("REST address: " + clusterDirectory.at(address).url()));
    Optional<String> joined = clusterDirectory.joined();
    joined.ifPresent(address -> console.out().println("Joined:       cluster at " + address));
    printLimit(clusterDirectory);
    TextTable table = new TextTable("PROCESS", "PID", "STATE", "SLOTS", "FREE");
    for (ClusterProcess process : processes) {
      Worker worker = workers.get(process.name());
      table.row(
          process.name(),
          process.shownPid(),
          state(clusterDirectory, process, leader, worker != null || joined.isPresent()),
          worker == null ? "-" : String.valueOf(worker.slots()),
          worker == null ? "-" : String.valueOf(worker.freeSlots()));
    }
    table.print(console.out());
    if (joined.isEmpty() && clusterDirectory.runningAddress().isEmpty()) {
      console
          .err()
          .println(
              "The JobManager is dead. Restart it with `millrace cluster start`: it recovers the"
                  + " jobs, and living TaskManagers register again.");
    }
    return processes.stream().allMatch(ClusterProcess::isAlive) ? ExitCodes.OK : ExitCodes.ERROR;
  }

  private void printLimit(ClusterDirectory clusterDirectory) {
    if (Files.exists(clusterDirectory.conf().resolve("config.yaml"))
        && ClusterStart.isElastic(clusterDirectory.configuration())) {
      int max = clusterDirectory.configuration().get(ProcessOptions.MAX_TASK_MANAGERS);
      console
          .out()
          .println(
              "TaskManagers: started and ended as the jobs need them, at most "
                  + (max < 0 ? "one per processor" : max));
    }
  }

  private static String state(
      ClusterDirectory clusterDirectory,
      ClusterProcess process,
      Optional<HostPort> leader,
      boolean registered) {
    if (!process.isAlive()) {
      return "dead";
    }
    if (process.isJobManager()) {
      return clusterDirectory.address(process.name()).equals(leader) ? "running" : "standby";
    }
    return registered ? "running" : "not registered";
  }
}
