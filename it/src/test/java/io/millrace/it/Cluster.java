package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A cluster of processes on this machine, started with {@code cluster start}. */
final class Cluster implements AutoCloseable {
  private static final Pattern JOB_ID = Pattern.compile("\\b[0-9a-f]{32}\\b");

  private final Shell shell;
  private final Path directory;
  private final Rest rest;

  private Cluster(Shell shell, Path directory) throws IOException {
    this.shell = shell;
    this.directory = directory;
    this.rest = new Rest(Files.readString(directory.resolve("rest")).strip());
  }

  static Cluster start(
      Shell shell, Map<String, String> environment, Path directory, String... options)
      throws IOException {
    List<String> line = new ArrayList<>(List.of("cluster", "start", "--dir", directory.toString()));
    line.addAll(List.of("--rest-port", "0"));
    line.addAll(List.of(options));
    Outcome started = shell.millrace(environment, line.toArray(String[]::new)).succeeded();
    Cluster cluster = new Cluster(shell, directory);
    assertThat(started.out())
        .anyMatch(
            text ->
                text.matches(
                    "Cluster is ready: ((\\d+ JobManagers, )?\\d+ TaskManagers?, [1-9]\\d* slots?|TaskManagers of \\d+"
                        + " slots? start when a job needs them)"))
        .contains("REST address: http://" + cluster.rest.address());
    return cluster;
  }

  /** A cluster that was started by other means. */
  static Cluster in(Shell shell, Path directory) throws IOException {
    return new Cluster(shell, directory);
  }

  Path directory() {
    return directory;
  }

  Rest rest() {
    return rest;
  }

  /** Runs a command with the environment of the user that started the cluster. */
  Outcome millrace(String... arguments) throws IOException {
    return start(arguments).await();
  }

  Command start(String... arguments) throws IOException {
    return shell.start(Map.of("MILLRACE_CLUSTER_DIR", directory.toString()), arguments);
  }

  /** Runs a program on the cluster and waits for its end. */
  Outcome run(String... arguments) throws IOException {
    return millrace(withTarget(List.of(), arguments));
  }

  /** Submits the job of a program and returns the job's id. */
  String submit(String... arguments) throws IOException {
    Outcome submitted = millrace(withTarget(List.of("-d"), arguments)).succeeded();
    return JOB_ID
        .matcher(String.join("\n", submitted.out()))
        .results()
        .map(java.util.regex.MatchResult::group)
        .findFirst()
        .orElseThrow(() -> new AssertionError("No job id: " + submitted));
  }

  private static String[] withTarget(List<String> options, String... arguments) {
    List<String> line = new ArrayList<>(List.of("run", "-t", "remote"));
    line.addAll(options);
    line.addAll(List.of(arguments));
    return line.toArray(String[]::new);
  }

  /** The line of {@code list} about a job, with its notes. */
  String listed(String job) throws IOException {
    List<String> lines = millrace("list", "-a").succeeded().out();
    int at = 0;
    while (at < lines.size() && !lines.get(at).contains(job)) {
      at++;
    }
    assertThat(at).as("%s in %s", job, lines).isLessThan(lines.size());
    List<String> about = new ArrayList<>(List.of(lines.get(at)));
    for (int i = at + 1; i < lines.size() && !JOB_ID.matcher(lines.get(i)).find(); i++) {
      about.add(lines.get(i));
    }
    return String.join("\n", about);
  }

  /** The registered workers of an elastic cluster. */
  List<String> registered() {
    List<String> ids = new ArrayList<>();
    rest.get("/taskmanagers")
        .path("taskmanagers")
        .forEach(
            worker -> {
              if (worker.path("slotsNumber").asInt() > 0) {
                ids.add(worker.path("id").asText());
              }
            });
    Collections.sort(ids);
    return ids;
  }

  /** The names of the workers of an elastic cluster that have a process. */
  List<String> started() throws IOException {
    try (Stream<Path> workers = Files.list(directory.resolve("workers"))) {
      return workers
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("process-"))
          .sorted()
          .toList();
    }
  }

  ProcessHandle process(String name) throws IOException {
    Path worker = directory.resolve("workers").resolve(name).resolve("pid");
    String line =
        Files.readString(
            Files.exists(worker) ? worker : directory.resolve("pids").resolve(name + ".pid"));
    long pid = Long.parseLong(line.split(" ")[0]);
    return ProcessHandle.of(pid).orElseThrow(() -> new AssertionError(name + " is gone"));
  }

  /** {@code kill -9}. */
  void kill(String name) throws IOException {
    ProcessHandle process = process(name);
    process.destroyForcibly();
    Wait.untilTrue(name + " is dead", () -> !Shell.isRunning(process));
  }

  /** The only TaskManager that runs tasks of the job. */
  String busyTaskManager() {
    return Wait.until(
        "one TaskManager has tasks",
        () -> {
          List<String> busy = busyTaskManagers();
          return busy.size() == 1 ? Optional.of(busy.get(0)) : Optional.empty();
        });
  }

  /** A TaskManager that runs tasks. */
  String anyBusyTaskManager() {
    return busyTaskManagers().stream()
        .findFirst()
        .orElseThrow(() -> new AssertionError("No TaskManager has tasks"));
  }

  private List<String> busyTaskManagers() {
    List<String> busy = new ArrayList<>();
    rest.get("/taskmanagers")
        .path("taskmanagers")
        .forEach(
            worker -> {
              if (worker.path("freeSlots").asInt() < worker.path("slotsNumber").asInt()) {
                busy.add(worker.path("id").asText());
              }
            });
    return busy;
  }

  /** Temporary files of processes, except those that exist for their whole lifetime. */
  List<Path> temporaryFiles() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path place : List.of(directory.resolve("tmp"), directory.resolve("ha/default/blobs"))) {
      try (Stream<Path> files = Files.walk(place)) {
        files
            .filter(Files::isRegularFile)
            .filter(file -> !file.endsWith("lock"))
            .forEach(found::add);
      }
    }
    return found;
  }

  /** Stops the cluster like a user and deletes its files. */
  @Override
  public void close() throws IOException {
    keepLogs();
    List<ProcessHandle> processes = new ArrayList<>();
    try (Stream<Path> pids = Files.list(directory.resolve("pids"))) {
      for (Path file : pids.filter(name -> name.toString().endsWith(".pid")).toList()) {
        ProcessHandle.of(Long.parseLong(Files.readString(file).split(" ")[0]))
            .ifPresent(processes::add);
      }
    }
    shell.millrace("cluster", "stop", "--no-keep-logs", "--dir", directory.toString()).succeeded();
    assertThat(processes).noneMatch(Shell::isRunning);
    assertThat(directory).doesNotExist();
  }

  /** Keeps the logs for the analysis of a failed test. */
  private void keepLogs() throws IOException {
    Path kept = shell.directory().resolve("kept").resolve(directory.getFileName());
    Files.createDirectories(kept);
    try (Stream<Path> logs = Files.list(directory.resolve("log"))) {
      for (Path log : logs.toList()) {
        Files.copy(log, kept.resolve(log.getFileName()));
      }
    }
  }
}
