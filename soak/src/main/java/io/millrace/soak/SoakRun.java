package io.millrace.soak;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One run: starts a cluster, injects faults, lets the job end, and verifies its output. */
public final class SoakRun {
  private static final int KEYS = 100;

  /** A file with this name ends the faults of a run. */
  private static final String STOP = "stop";

  private static final int DISK_MEGABYTES = 256;
  private static final int UNLIMITED = 10_000_000;
  private static final Duration RECOVERY_BOUND = Duration.ofMinutes(5);
  private static final Duration SHORTEST_END_BOUND = Duration.ofMinutes(20);

  private final SoakSettings settings;
  private final PrintStream out;
  private final Random random;
  private final SoakWorkload workload;
  private final List<Survived> survived = new ArrayList<>();
  private final SoakCluster cluster;

  /** For the end of a run from another thread. */
  private volatile Optional<FaultyDisk> mounted = Optional.empty();

  private volatile Optional<FaultInjector> started = Optional.empty();

  /**
   * A fault and what followed.
   *
   * @param restarted whether tasks of the job were deployed again
   */
  private record Survived(FaultKind kind, JobMonitor.Recovery recovery, boolean restarted) {}

  public SoakRun(SoakSettings settings, PrintStream out) throws IOException {
    this.settings = settings;
    this.cluster = new SoakCluster(settings);
    this.out = out;
    this.random = new Random(settings.budget().seed());
    // More than the time allows, so that the job is still reading when the last fault comes.
    this.workload =
        new SoakWorkload(
            Math.max(20_000, (settings.budget().time().toSeconds() + 30) * settings.rate()), KEYS);
  }

  private void say(String text) {
    out.println(LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS) + " " + text);
  }

  /** Runs and verifies; throws with the evidence if something is wrong. */
  public void run() throws IOException, InterruptedException {
    say(
        "seed "
            + settings.budget().seed()
            + ", "
            + workload.generated()
            + " generated records and "
            + workload.lines()
            + " lines, files in "
            + settings.directory());
    long completed;
    long failed;
    ProgramRun program;
    List<String> remains = new ArrayList<>();
    try (FaultyDisk disk = FaultyDisk.mount(settings.directory(), "checkpoints", DISK_MEGABYTES)) {
      mounted = Optional.of(disk);
      if (!disk.isMounted()) {
        say("Mounting is not permitted here: faults of disks are left out.");
      }
      program =
          new ProgramRun(settings.directory(), workload, disk.directory(), settings.options());
      try (JobMonitor monitor = new JobMonitor(cluster)) {
        SoakJob job =
            new SoakJob(
                cluster,
                monitor,
                program,
                Files.createDirectories(settings.directory().resolve("savepoints")));
        FaultTargets targets = new FaultTargets(cluster, disk, monitor, job, random);
        try (FaultInjector injector = injector(targets)) {
          started = Optional.of(injector);
          try {
            cluster.create(injector.clusterOptions());
            disturb(injector, monitor, job);
            finish(monitor, job);
            injector.verifyFinished();
            completed = monitor.completed();
            failed = monitor.failed();
          } finally {
            if (cluster.exists()) {
              cluster.stop();
            }
          }
          remains.addAll(injector.remains());
        }
      }
    }
    verify(program);
    remains.addAll(cluster.processes());
    if (!remains.isEmpty()) {
      throw new SoakException("The cluster has left:\n  " + String.join("\n  ", remains));
    }
    summarize(completed, failed);
  }

  private FaultInjector injector(FaultTargets targets) throws IOException, InterruptedException {
    return settings.hasStandbys()
        ? LeadershipFaultInjector.start(targets, settings, out)
        : new ClusterFaultInjector(targets, settings.rate());
  }

  private boolean goesOn(FaultPlan plan, long end) {
    FaultBudget budget = settings.budget();
    return plan.hasNext()
        && !Files.exists(settings.directory().resolve(STOP))
        && survived.size() < budget.most()
        && (budget.each() > 0 || System.nanoTime() < end);
  }

  private void disturb(FaultInjector injector, JobMonitor monitor, SoakJob job)
      throws IOException, InterruptedException {
    long started = System.currentTimeMillis();
    job.submit(SoakJob.MOST_PARALLELISM, settings.rate());
    monitor.awaitRecovery(started, started, RECOVERY_BOUND);
    FaultPlan plan = new FaultPlan(random, injector.kinds(), settings.budget().each());
    long end = System.nanoTime() + settings.budget().time().toNanos();
    while (goesOn(plan, end)) {
      FaultKind kind = plan.next();
      String id = monitor.job();
      long deployments = cluster.deployments(id);
      FaultInjector.InjectedFault fault = injector.inject(kind);
      // Some processes end by themselves, for example after a long freeze of another one.
      List<String> dead = cluster.dead();
      if (!dead.isEmpty()) {
        say("  " + dead + " ended by themselves");
        cluster.replaceDead();
      }
      JobMonitor.Recovery recovery =
          monitor.awaitRecovery(fault.recoveryStart(), fault.ended(), RECOVERY_BOUND);
      boolean restarted = !id.equals(monitor.job()) || cluster.deployments(id) > deployments;
      survived.add(new Survived(kind, recovery, restarted));
      say(
          survived.size()
              + ". "
              + fault.description()
              + "; tasks "
              + (restarted ? "restarted and " : "")
              + "ran after "
              + recovery.toRunning().toMillis()
              + " ms, checkpoint after "
              + recovery.toCheckpoint().toMillis()
              + " ms; "
              + monitor.completed()
              + " checkpoints completed, "
              + monitor.failed()
              + " failed");
      injector.verifyRecovered();
      // Sometimes the next fault comes directly after the recovery.
      if (random.nextInt(3) > 0) {
        Thread.sleep(random.nextInt(3_000));
      }
    }
  }

  /** Stops once more and reads the rest of the input without a limit of the rate. */
  private void finish(JobMonitor monitor, SoakJob job) throws IOException, InterruptedException {
    SoakCluster.CommandResult stop = job.startStop().await().succeeded();
    monitor.awaitState("FINISHED", RECOVERY_BOUND);
    job.stopped(stop);
    job.submit(SoakJob.MOST_PARALLELISM, UNLIMITED);
    say("No more faults; the job reads the rest of its input");
    monitor.awaitState("FINISHED", endBound());
  }

  /** While processes are down the job reads nothing: most of its input may be left. */
  private Duration endBound() {
    Duration run = settings.budget().time();
    return run.compareTo(SHORTEST_END_BOUND) > 0 ? run : SHORTEST_END_BOUND;
  }

  private void verify(ProgramRun program) throws IOException {
    OutputVerifier verifier = program.verifier();
    List<String> problems = verifier.problems();
    if (!problems.isEmpty()) {
      throw new SoakException(
          "The output is wrong (seed "
              + settings.budget().seed()
              + "):\n  "
              + String.join("\n  ", problems));
    }
    say("The output is right: " + verifier.lines() + " lines, every result exactly once");
  }

  private void summarize(long completed, long failed) {
    Map<FaultKind, List<Survived>> byKind = new TreeMap<>();
    survived.forEach(one -> byKind.computeIfAbsent(one.kind(), kind -> new ArrayList<>()).add(one));
    out.println();
    out.println(
        "| fault | times | restarts | median until all tasks run | worst | median until a"
            + " checkpoint | worst |");
    out.println("|---|--:|--:|--:|--:|--:|--:|");
    byKind.forEach((kind, all) -> row(kind.description, all));
    row("all", survived);
    out.println();
    out.println("Checkpoints: " + completed + " completed, " + failed + " failed or aborted.");
  }

  private void row(String name, List<Survived> all) {
    out.printf(
        "| %s | %d | %d | %s | %s | %s | %s |%n",
        name,
        all.size(),
        all.stream().filter(Survived::restarted).count(),
        seconds(all, one -> one.recovery().toRunning(), 0.5),
        seconds(all, one -> one.recovery().toRunning(), 1),
        seconds(all, one -> one.recovery().toCheckpoint(), 0.5),
        seconds(all, one -> one.recovery().toCheckpoint(), 1));
  }

  private static String seconds(
      List<Survived> all, java.util.function.Function<Survived, Duration> time, double quantile) {
    List<Duration> sorted = all.stream().map(time).sorted(Comparator.naturalOrder()).toList();
    if (sorted.isEmpty()) {
      return "-";
    }
    Duration chosen = sorted.get((int) Math.round((sorted.size() - 1) * quantile));
    return String.format(Locale.ROOT, "%.1f s", chosen.toMillis() / 1_000.0);
  }

  /** Ends the processes and mounts of a run that is interrupted, from another thread. */
  void abort() throws IOException, InterruptedException {
    if (cluster.exists()) {
      for (String name : cluster.names()) {
        cluster.signal(name, "KILL");
      }
    }
    if (started.isPresent()) {
      started.get().close();
    }
    if (mounted.isPresent()) {
      mounted.get().close();
    }
  }

  /** Deletes what a successful run has written. */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
