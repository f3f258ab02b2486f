package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.client.RestClusterClient.Worker;
import io.millrace.cluster.Distribution;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.RestServerTls;
import io.millrace.protocol.text.Plural;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Starts the processes of a cluster directory and waits until the TaskManagers are registered. */
final class ClusterStarter {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final Console console;
  private final ClusterDirectory directory;
  private final HostPort address;
  private final Configuration configuration;
  private final ProcessLauncher java;

  ClusterStarter(Console console, ClusterDirectory directory, Configuration configuration) {
    this.console = console;
    this.directory = directory;
    this.address = HostPort.of(configuration);
    this.configuration = configuration;
    this.java = new ProcessLauncher(new Distribution(console.home()), directory, configuration);
  }

  /** Starts all processes at once: TaskManagers that are ready first wait for a JobManager. */
  void start(int jobManagers, int taskManagers) throws IOException {
    List<ClusterProcess> started = new ArrayList<>();
    for (int i = 1; i <= jobManagers; i++) {
      started.add(java.jobManager(ClusterProcess.jobManager(i)));
    }
    for (int i = 1; i <= taskManagers; i++) {
      started.add(java.taskManager(i));
    }
    printStarted(started);
    List<Worker> workers = awaitRegistered(started);
    int slots = workers.stream().mapToInt(Worker::slots).sum();
    console
        .out()
        .println(
            "Cluster is ready: "
                + (jobManagers == 1 ? "" : Plural.of(jobManagers, "JobManager") + ", ")
                + Plural.of(workers.size(), "TaskManager")
                + ", "
                + Plural.of(slots, "slot"));
    printAddress();
  }

  /**
   * Restarts dead JobManagers. Living TaskManagers register again; if no process is alive, restarts
   * the former TaskManagers.
   */
  void restart() throws IOException {
    List<ClusterProcess> alive = directory.alive();
    List<ClusterProcess> dead = new ArrayList<>(directory.processes());
    dead.removeAll(alive);
    List<ClusterProcess> started = new ArrayList<>();
    for (ClusterProcess process : dead) {
      if (process.isJobManager()) {
        started.add(java.jobManager(process.name()));
      } else if (alive.isEmpty()) {
        started.add(java.taskManager(process.number()));
      }
    }
    printStarted(started);
    List<ClusterProcess> expected = new ArrayList<>(started);
    expected.addAll(alive);
    List<Worker> workers = awaitRegistered(expected);
    int slots = workers.stream().mapToInt(Worker::slots).sum();
    console
        .out()
        .println(
            "Cluster is ready again: "
                + Plural.of(workers.size(), "TaskManager")
                + " ("
                + alive.stream().filter(process -> !process.isJobManager()).count()
                + " lived on), "
                + Plural.of(slots, "slot"));
    printAddress();
  }

  /** Starts only the JobManager, which starts TaskManagers when jobs need them. */
  void startElastic(int slots) throws IOException {
    List<ClusterProcess> started = List.of(java.jobManager(ClusterProcess.JOB_MANAGER));
    printStarted(started);
    awaitRegistered(started);
    console
        .out()
        .println(
            "Cluster is ready: TaskManagers of "
                + Plural.of(slots, "slot")
                + " start when a job needs them");
    printAddress();
  }

  void add(int taskManagers) throws IOException {
    int next = directory.processes().stream().mapToInt(ClusterProcess::number).max().orElse(0) + 1;
    List<ClusterProcess> started = new ArrayList<>();
    for (int i = 0; i < taskManagers; i++) {
      started.add(java.taskManager(next + i));
    }
    printStarted(started);
    try {
      List<Worker> workers = awaitRegistered(started);
      replaceDead(taskManagers);
      int slots = workers.stream().mapToInt(Worker::slots).sum();
      console
          .out()
          .println(
              "The cluster has "
                  + Plural.of(workers.size(), "TaskManager")
                  + " and "
                  + Plural.of(slots, "slot"));
    } catch (IOException | RuntimeException e) {
      // A TaskManager that never registered must not be shown as a dead process of the cluster.
      for (ClusterProcess process : started) {
        process.handle().ifPresent(ProcessHandle::destroyForcibly);
        directory.forget(process);
      }
      throw e;
    }
  }

  /** Each added TaskManager replaces a dead one, the oldest first. */
  private void replaceDead(int added) throws IOException {
    List<ClusterProcess> dead =
        directory.processes().stream()
            .filter(process -> !process.isJobManager() && !process.isAlive())
            .limit(added)
            .toList();
    for (ClusterProcess process : dead) {
      directory.forget(process);
    }
  }

  private void printAddress() {
    console.out().println("REST address: " + directory.at(address).url());
    RestServerTls.fingerprint(configuration)
        .ifPresent(digits -> console.out().println("Certificate (SHA-256): " + digits));
    try (RestClusterClient client = directory.client(address, Duration.ofSeconds(5))) {
      console.out().println("Web page: " + client.webLink(false));
    }
    if (ClusterBinding.hasKeys(configuration, directory)) {
      console
          .out()
          .println(
              "Another machine joins with the file that `millrace cluster bundle FILE` writes.");
    }
  }

  private void printStarted(List<ClusterProcess> started) {
    started.forEach(
        process ->
            console.err().println("Starting " + process.name() + " (pid " + process.pid() + ")"));
  }

  static String processes(int count) {
    return count + (count == 1 ? " process" : " processes");
  }

  private List<Worker> awaitRegistered(List<ClusterProcess> started) throws IOException {
    Set<String> missing = new TreeSet<>();
    started.stream()
        .filter(process -> !process.isJobManager())
        .forEach(process -> missing.add(process.name()));
    int wanted = missing.size();
    long deadline = System.nanoTime() + BOUND.toNanos();
    MillraceException last = null;
    try (RestClusterClient client = directory.client(address, Duration.ofSeconds(5))) {
      while (System.nanoTime() < deadline) {
        for (ClusterProcess process : started) {
          if (!process.isAlive() && process.isElastic()) {
            missing.remove(process.name());
          } else if (!process.isAlive()) {
            throw failed(process.name(), process.name() + " ended while it started");
          }
        }
        try {
          List<Worker> workers = client.workers();
          int before = missing.size();
          // A TaskManager registers before it reports its slots, and is usable only with slots.
          workers.stream()
              .filter(worker -> worker.slots() > 0)
              .forEach(worker -> missing.remove(worker.id()));
          if (missing.size() < before) {
            console
                .err()
                .println((wanted - missing.size()) + " of " + wanted + " TaskManagers registered");
          }
          if (missing.isEmpty()) {
            started.stream().filter(ClusterProcess::isJobManager).forEach(this::checkAnswers);
            return workers;
          }
        } catch (MillraceException notYet) {
          last = notYet;
        }
        pause(PAUSE);
      }
    }
    String late =
        "After "
            + BOUND.toSeconds()
            + " s "
            + (missing.size() == wanted ? "no TaskManager is" : missing + " are not")
            + " registered";
    throw failed(
        last == null && !missing.isEmpty() ? missing.iterator().next() : ClusterProcess.JOB_MANAGER,
        late);
  }

  /** Throws unless the JobManager answers; a standby answers with the leading one. */
  private void checkAnswers(ClusterProcess jobManager) {
    HostPort own = directory.address(jobManager.name()).orElse(address);
    if (!own.equals(address)) {
      try (RestClusterClient client = directory.client(own, Duration.ofSeconds(5))) {
        client.workers();
      }
    }
  }

  private MillraceException failed(String process, String what) throws IOException {
    return ProcessLauncher.failed(console, directory, process, what);
  }

  static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.USER, "The start of the cluster was interrupted.", e);
    }
  }
}
