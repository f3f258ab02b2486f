package io.millrace.soak;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A cluster of processes on this machine, driven through the commands and REST. */
final class SoakCluster {
  static final String JOBMANAGER = "jobmanager";

  private static final String STANDBY = JOBMANAGER + "-";
  private static final Duration COMMAND_BOUND = Duration.ofMinutes(5);

  private final Path home;
  private final Path directory;
  private final Path logs;
  private final Map<String, String> environment;
  private final LeaderRequests requests = new LeaderRequests();
  private int commands;

  /** The end of a command. */
  record CommandResult(String command, int code, String output) {
    CommandResult succeeded() {
      if (code != 0) {
        throw new SoakException(command + " ended with " + code + ":\n" + output);
      }
      return this;
    }
  }

  /** A command that was started. */
  static final class RunningCommand {
    private final String line;
    private final Process process;
    private final Path output;

    private RunningCommand(String line, Process process, Path output) {
      this.line = line;
      this.process = process;
      this.output = output;
    }

    CommandResult await() throws IOException, InterruptedException {
      boolean ended = process.waitFor(COMMAND_BOUND.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      String text = Files.readString(output, StandardCharsets.UTF_8);
      if (!ended) {
        throw new SoakException(line + " did not end within " + COMMAND_BOUND + ":\n" + text);
      }
      return new CommandResult(line, process.exitValue(), text);
    }
  }

  SoakCluster(SoakSettings settings) throws IOException {
    this.home = settings.home();
    this.directory = settings.directory().resolve("cluster");
    this.logs = Files.createDirectories(settings.directory().resolve("commands"));
    this.environment = settings.environment();
  }

  RunningCommand start(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of(home.resolve("bin/millrace").toString()));
    line.addAll(List.of(arguments));
    Path output = logs.resolve(String.format("%04d-%s.txt", ++commands, arguments[0]));
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(logs.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    builder.environment().put("MILLRACE_CLUSTER_DIR", directory.toString());
    builder.environment().put("MILLRACE_LOG_DIR", logs.toString());
    return new RunningCommand(String.join(" ", arguments), builder.start(), output);
  }

  CommandResult run(String... arguments) throws IOException, InterruptedException {
    return start(arguments).await();
  }

  /** Creates the cluster with further arguments of {@code cluster start}. */
  void create(List<String> arguments) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("cluster", "start", "--rest-port", "0"));
    line.addAll(List.of("-D", "heartbeat.interval=1 s", "-D", "heartbeat.timeout=8 s"));
    line.addAll(arguments);
    run(line.toArray(String[]::new)).succeeded();
  }

  boolean exists() {
    return Files.exists(directory);
  }

  // --- processes

  /** JobManagers and TaskManagers, also dead ones that were not replaced. */
  List<String> names() throws IOException {
    return pidFiles(".pid");
  }

  /** The names of files in the directory of pids, without their end. */
  private List<String> pidFiles(String end) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("pids"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(end))
          .map(file -> file.substring(0, file.length() - end.length()))
          .sorted()
          .toList();
    }
  }

  private static boolean isJobManager(String name) {
    return name.equals(JOBMANAGER) || name.startsWith(STANDBY);
  }

  List<String> jobManagers() throws IOException {
    return names().stream().filter(SoakCluster::isJobManager).toList();
  }

  List<String> taskManagers() throws IOException {
    return names().stream().filter(name -> !isJobManager(name)).toList();
  }

  Optional<ProcessHandle> process(String name) throws IOException {
    String[] fields =
        Files.readString(directory.resolve("pids").resolve(name + ".pid")).strip().split(" ");
    return ProcessHandle.of(Long.parseLong(fields[0])).filter(process -> isRunning(process.pid()));
  }

  List<String> living() throws IOException {
    List<String> living = new ArrayList<>();
    for (String name : names()) {
      if (process(name).isPresent()) {
        living.add(name);
      }
    }
    return living;
  }

  List<String> dead() throws IOException {
    List<String> dead = new ArrayList<>(names());
    dead.removeAll(living());
    return dead;
  }

  /** A zombie does not run. */
  private static boolean isRunning(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
      return !stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
    } catch (IOException gone) {
      return false;
    }
  }

  /** Sends a signal; returns false if the process is gone. */
  boolean signal(String name, String signal) throws IOException, InterruptedException {
    Optional<ProcessHandle> process = process(name);
    if (process.isEmpty()) {
      return false;
    }
    int code =
        new ProcessBuilder("kill", "-" + signal, String.valueOf(process.get().pid()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    if (signal.equals("KILL")) {
      process.get().onExit().join();
    }
    return code == 0;
  }

  /** Restarts what is dead: JobManagers first, so that TaskManagers can register. */
  void replaceDead() throws IOException, InterruptedException {
    if (dead().stream().anyMatch(SoakCluster::isJobManager)) {
      run("cluster", "start").succeeded();
    }
    for (int i = dead().size(); i > 0; i--) {
      run("cluster", "add").succeeded();
    }
  }

  // --- REST

  /** The answer to a GET, or nothing if no leading JobManager gives one. */
  Optional<JsonNode> get(String path) throws InterruptedException {
    try {
      return requests.get(addresses(), path);
    } catch (IOException beingCreated) {
      return Optional.empty();
    }
  }

  /** The name of the leading JobManager. */
  Optional<String> leader() throws IOException, InterruptedException {
    return requests.leader(addresses());
  }

  /** The addresses of REST, by the names of JobManagers. */
  private Map<String, String> addresses() throws IOException {
    Map<String, String> addresses = new TreeMap<>();
    addresses.put(JOBMANAGER, Files.readString(directory.resolve("rest")).strip());
    for (String name : pidFiles(".rest")) {
      Path file = directory.resolve("pids").resolve(name + ".rest");
      addresses.put(name, Files.readString(file).strip());
    }
    return addresses;
  }

  /** How often TaskManagers were given tasks of a job, as their logs show. */
  long deployments(String job) throws IOException {
    long count = 0;
    try (Stream<Path> files = Files.list(directory.resolve("log"))) {
      for (Path log :
          files
              .filter(file -> file.getFileName().toString().matches("taskmanager-\\d+\\.log"))
              .toList()) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
          count += lines.filter(line -> line.contains("Job " + job + " deploys ")).count();
        }
      }
    }
    return count;
  }

  /** Living processes that commands of this cluster have started. */
  List<String> processes() {
    String mark = "MILLRACE_CLUSTER_DIR=" + directory + "\0";
    return ProcessHandle.allProcesses()
        .filter(process -> isRunning(process.pid()) && environment(process.pid()).contains(mark))
        .map(process -> process.pid() + " " + process.info().commandLine().orElse(""))
        .toList();
  }

  private static String environment(long pid) {
    try {
      return Files.readString(Path.of("/proc", String.valueOf(pid), "environ")) + "\0";
    } catch (IOException gone) {
      return "";
    }
  }

  /** Ends all processes; frozen ones, too. */
  void stop() throws IOException, InterruptedException {
    for (String name : names()) {
      signal(name, "CONT");
    }
    run("cluster", "stop", "--keep-logs").succeeded();
  }
}
