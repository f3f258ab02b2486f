package io.millrace.bench.works;

import io.millrace.bench.load.StateLoad;
import io.millrace.bench.load.StateLoadRun;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Millrace cluster that is started and stopped with the command line. */
final class OwnCluster implements AutoCloseable {
  private static final Pattern REST = Pattern.compile("http://([\\w.:]+)");
  private static final Pattern JOB = Pattern.compile("\\b([0-9a-f]{32})\\b");
  private static final Pattern VERTEX =
      Pattern.compile("\"id\":\"([0-9a-f]{32})\",\"slotSharingGroupId\"");
  private static final Pattern SUBTASK =
      Pattern.compile("\"status\":\"(\\w+)\",\"attempt\":(\\d+)");
  private static final Pattern WORKER = Pattern.compile("\"taskmanager-id\":\"([^\"]+)\"");
  private static final Pattern COMPLETED = Pattern.compile("\"completed\":(\\d+)");
  private static final Pattern RUNNING_JOB =
      Pattern.compile(
          "\"jid\":\"([0-9a-f]{32})\"[^{}]*\"state\":\"RUNNING\"[^{}]*\"tasks\":\\{[^{}]*\"running\":(\\d+)");
  private static final long TIMEOUT_NANOS = 120_000_000_000L;

  private final Engines engines;
  private final Path directory;
  private final double startSeconds;
  private final String rest;

  /** A standby redirects to the leader. */
  private final HttpClient http =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  OwnCluster(Engines engines, int taskManagers, int slots, String... options)
      throws IOException, InterruptedException {
    this.engines = engines;
    this.directory = Files.createTempDirectory("millrace-bench-cluster");
    List<String> command =
        new ArrayList<>(
            List.of("cluster", "start", "--dir", directory.resolve("cluster").toString()));
    command.addAll(List.of("--taskmanagers", String.valueOf(taskManagers)));
    command.addAll(List.of("--slots", String.valueOf(slots)));
    command.addAll(List.of(options));
    Engines.Timed started = engines.millrace(command.toArray(String[]::new));
    startSeconds = started.seconds();
    Matcher address = REST.matcher(started.output());
    if (!address.find()) {
      throw new IOException("No REST address in: " + started.output());
    }
    rest = address.group(1);
  }

  double startSeconds() {
    return startSeconds;
  }

  double wordCount() throws IOException, InterruptedException {
    return Work.wordCount(engines, "run", "-p", "2", "-m", rest).seconds();
  }

  /** Runs a program of this module until it ends, with one subtask per slot. */
  void run(int parallelism, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of("run", "-m", rest, "-p", String.valueOf(parallelism), "-c", program.getName()));
    command.add(engines.ownJar().toString());
    command.addAll(List.of(arguments));
    engines.millrace(command.toArray(String[]::new));
  }

  /**
   * Kills the TaskManager that runs the job's tasks and returns the seconds until all of them run
   * again.
   */
  double killAndAwait() throws IOException, InterruptedException {
    Engines.Timed submitted =
        engines.millrace(
            "run",
            "-d",
            "-m",
            rest,
            "-p",
            "2",
            "-D",
            "restart-strategy.type=fixed-delay",
            "-D",
            "restart-strategy.fixed-delay.attempts=1000",
            "-D",
            "restart-strategy.fixed-delay.delay=0 s",
            engines.root().resolve("dist/target/millrace/examples/rate-counter.jar").toString());
    String job = idOf(submitted);
    await(job, 0);
    long pid = pidOf(busyWorker(job));
    long killed = System.nanoTime();
    kill(pid);
    await(job, 1);
    return (System.nanoTime() - killed) / 1e9;
  }

  /**
   * Kills the leading one of two JobManagers after some checkpoints and returns the seconds until
   * the other one has all tasks running.
   */
  double killLeaderAndAwait() throws IOException, InterruptedException {
    String job =
        idOf(
            engines.millrace(
                "run",
                "-d",
                "-m",
                rest,
                "-p",
                "2",
                "-D",
                "execution.checkpointing.interval=1 s",
                "-D",
                "restart-strategy.type=fixed-delay",
                "-D",
                "restart-strategy.fixed-delay.attempts=1000",
                "-D",
                "restart-strategy.fixed-delay.delay=0 s",
                engines
                    .root()
                    .resolve("dist/target/millrace/examples/rate-counter.jar")
                    .toString()));
    await(job, 0);
    awaitCheckpoints(job, 5);
    Leader leader = leader();
    long killed = System.nanoTime();
    kill(leader.pid());
    while (!answersWithAllRunning(leader.standby(), job)) {
      if (System.nanoTime() - killed > TIMEOUT_NANOS) {
        throw new IOException("Job " + job + " did not run again in time");
      }
      Thread.sleep(10);
    }
    return (System.nanoTime() - killed) / 1e9;
  }

  /**
   * @param standby the REST address of the other JobManager
   */
  private record Leader(long pid, String standby) {}

  /** The leading one of two JobManagers. */
  private Leader leader() throws IOException, InterruptedException {
    Path pids = directory.resolve("cluster").resolve("pids");
    boolean firstLeads =
        http.send(
                HttpRequest.newBuilder(URI.create("http://" + rest + "/overview")).build(),
                HttpResponse.BodyHandlers.discarding())
            .uri()
            .getAuthority()
            .equals(rest);
    String other = Files.readString(pids.resolve("jobmanager-2.rest")).strip();
    long pid = pid(pids.resolve(firstLeads ? "jobmanager.pid" : "jobmanager-2.pid"));
    return new Leader(pid, firstLeads ? other : rest);
  }

  /**
   * Starts small jobs of one task each, kills the leading one of two JobManagers when each job has
   * a checkpoint, and measures until the other one has all jobs RUNNING, and all their tasks.
   */
  Map<String, Double> killLeaderOfSmallJobs(int jobs) throws IOException, InterruptedException {
    long began = System.nanoTime();
    Set<String> ids =
        idsOf(
            engines.millrace(
                "run",
                "-d",
                "-m",
                rest,
                "-p",
                "1",
                "-D",
                "execution.checkpointing.interval=30 s",
                "-D",
                "restart-strategy.type=fixed-delay",
                "-D",
                "restart-strategy.fixed-delay.attempts=1000",
                "-D",
                "restart-strategy.fixed-delay.delay=0 s",
                "-c",
                SmallJobs.class.getName(),
                engines.ownJar().toString(),
                String.valueOf(jobs)));
    if (ids.size() != jobs) {
      throw new IOException(ids.size() + " of " + jobs + " jobs were submitted");
    }
    double submitted = (System.nanoTime() - began) / 1e9;
    awaitSmallJobs(rest, System.nanoTime(), found -> found.tasks() == jobs);
    for (String job : ids) {
      awaitCheckpoints(job, 1);
    }
    awaitSmallJobs(rest, System.nanoTime(), found -> found.tasks() == jobs);
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    Leader leader = leader();
    long killed = System.nanoTime();
    kill(leader.pid());
    double recovered = awaitSmallJobs(leader.standby(), killed, found -> found.ids().equals(ids));
    double runningAgain =
        awaitSmallJobs(
            leader.standby(), killed, found -> found.ids().equals(ids) && found.tasks() == jobs);
    return Work.figures(
        "jobs",
        (double) jobs,
        "submitted",
        submitted,
        "recovered",
        recovered,
        "runningAgain",
        runningAgain,
        "loadAverage",
        load);
  }

  /**
   * @param ids of the jobs that are RUNNING
   * @param tasks the number of their tasks that are RUNNING
   */
  private record SmallJobsFound(Set<String> ids, int tasks) {}

  /** Waits for a state of the jobs and returns the seconds since a moment. */
  private double awaitSmallJobs(String address, long since, Predicate<SmallJobsFound> expected)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TIMEOUT_NANOS;
    while (!expected.test(smallJobs(address))) {
      if (System.nanoTime() > end) {
        throw new IOException("Not all jobs run in time");
      }
      Thread.sleep(10);
    }
    return (System.nanoTime() - since) / 1e9;
  }

  private SmallJobsFound smallJobs(String address) throws InterruptedException {
    Set<String> ids = new HashSet<>();
    int tasks = 0;
    try {
      Matcher job = RUNNING_JOB.matcher(get(address, "/jobs/overview"));
      while (job.find()) {
        ids.add(job.group(1));
        tasks += Integer.parseInt(job.group(2));
      }
    } catch (IOException e) {
      // Redirected to the JobManager that was killed.
      return new SmallJobsFound(Set.of(), 0);
    }
    return new SmallJobsFound(ids, tasks);
  }

  private void awaitCheckpoints(String job, int number) throws IOException, InterruptedException {
    long end = System.nanoTime() + TIMEOUT_NANOS;
    while (completedCheckpoints(job) < number) {
      if (System.nanoTime() > end) {
        throw new IOException("Job " + job + " completed no checkpoints in time");
      }
      Thread.sleep(100);
    }
  }

  private static Set<String> idsOf(Engines.Timed submitted) {
    return JOB.matcher(submitted.output())
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }

  private int completedCheckpoints(String job) throws IOException, InterruptedException {
    Matcher completed = COMPLETED.matcher(get("/jobs/" + job + "/checkpoints"));
    return completed.find() ? Integer.parseInt(completed.group(1)) : 0;
  }

  private boolean answersWithAllRunning(String address, String job) throws InterruptedException {
    try {
      return allRun(address, job, 0);
    } catch (IOException e) {
      // Redirected to the JobManager that was killed.
      return false;
    }
  }

  private static String idOf(Engines.Timed submitted) throws IOException {
    Matcher id = JOB.matcher(submitted.output());
    if (!id.find()) {
      throw new IOException("No job id in: " + submitted.output());
    }
    return id.group(1);
  }

  private String busyWorker(String job) throws IOException, InterruptedException {
    for (String vertex : vertices(rest, job)) {
      Matcher worker = WORKER.matcher(get("/jobs/" + job + "/vertices/" + vertex));
      if (worker.find()) {
        return worker.group(1);
      }
    }
    throw new IOException("No TaskManager runs job " + job);
  }

  private static void kill(long pid) throws IOException, InterruptedException {
    if (new ProcessBuilder("kill", "-9", String.valueOf(pid)).start().waitFor() != 0) {
      throw new IOException("Could not kill " + pid);
    }
  }

  /** Starts the job of W8 and W9. */
  StateLoadRun startStateLoad(StateLoad load, String backend)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("run", "-d", "-m", rest, "-p", "1", "-c"));
    command.add(StateLoadJob.class.getName());
    for (String option :
        List.of(
            "execution.checkpointing.interval=10 s",
            "execution.checkpointing.incremental=true",
            "state.backend.type=" + backend,
            "restart-strategy.type=fixed-delay",
            "restart-strategy.fixed-delay.attempts=1000",
            "restart-strategy.fixed-delay.delay=0 s")) {
      command.addAll(List.of("-D", option));
    }
    command.add(engines.ownJar().toString());
    command.addAll(List.of(load.arguments()));
    String job = idOf(engines.millrace(command.toArray(String[]::new)));
    return new StateLoadRun(
        load,
        new StateLoadRun.StateLoadCluster() {
          @Override
          public String get(String path) throws IOException, InterruptedException {
            return OwnCluster.this.get("/jobs/" + job + path);
          }

          @Override
          public void killBusy() throws IOException, InterruptedException {
            kill(pidOf(busyWorker(job)));
          }

          @Override
          public boolean runsAgain() throws IOException, InterruptedException {
            return allRun(job, 1);
          }
        });
  }

  private long pidOf(String worker) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = file.getFileName().toString();
        if (name.startsWith(worker) && name.endsWith(".pid")) {
          return pid(file);
        }
      }
    }
    throw new IOException("No pid of " + worker + " under " + directory);
  }

  private static long pid(Path file) throws IOException {
    return Long.parseLong(Files.readString(file).strip().split(" ")[0]);
  }

  /** Waits until every subtask runs with at least the given attempt number. */
  private void await(String job, int attempt) throws IOException, InterruptedException {
    long end = System.nanoTime() + TIMEOUT_NANOS;
    while (!allRun(job, attempt)) {
      if (System.nanoTime() > end) {
        throw new IOException("Job " + job + " did not run in time");
      }
      Thread.sleep(10);
    }
  }

  private boolean allRun(String job, int attempt) throws IOException, InterruptedException {
    return allRun(rest, job, attempt);
  }

  private boolean allRun(String address, String job, int attempt)
      throws IOException, InterruptedException {
    List<String> vertices = vertices(address, job);
    for (String vertex : vertices) {
      Matcher subtask = SUBTASK.matcher(get(address, "/jobs/" + job + "/vertices/" + vertex));
      boolean any = false;
      while (subtask.find()) {
        any = true;
        if (!subtask.group(1).equals("RUNNING") || Integer.parseInt(subtask.group(2)) < attempt) {
          return false;
        }
      }
      if (!any) {
        return false;
      }
    }
    return !vertices.isEmpty();
  }

  private List<String> vertices(String address, String job)
      throws IOException, InterruptedException {
    List<String> ids = new ArrayList<>();
    Matcher vertex = VERTEX.matcher(get(address, "/jobs/" + job));
    while (vertex.find()) {
      ids.add(vertex.group(1));
    }
    return ids;
  }

  private String get(String path) throws IOException, InterruptedException {
    return get(rest, path);
  }

  private String get(String address, String path) throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(URI.create("http://" + address + path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Override
  public void close() throws IOException {
    try {
      engines.millrace("cluster", "stop", "--dir", directory.resolve("cluster").toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
