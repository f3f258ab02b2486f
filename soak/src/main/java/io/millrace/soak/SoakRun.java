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
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One run: starts a cluster, injects faults, lets the job end, and verifies its output. */
public final class SoakRun {
  private static final int TASKMANAGERS = 4;
  private static final int MOST_PARALLELISM = 3;
  private static final int KEYS = 100;
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

  private record Survived(FaultKind kind, JobMonitor.Recovery recovery) {}

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
    SoakJob job;
    try (CheckpointDisk disk = CheckpointDisk.mount(settings.directory(), DISK_MEGABYTES)) {
      if (!disk.isMounted()) {
        say("Mounting is not permitted here: faults of the checkpoint disk are left out.");
      }
      try (JobMonitor monitor = new JobMonitor(cluster)) {
        cluster.create(TASKMANAGERS, "-D", "heartbeat.interval=1 s", "-D", "heartbeat.timeout=8 s");
        job = new SoakJob(cluster, monitor, settings, workload, disk.directory());
        job.prepare();
        disturb(disk, monitor, job);
        finish(monitor, job);
        completed = monitor.completed();
        failed = monitor.failed();
      } finally {
        if (cluster.exists()) {
          cluster.stop();
        }
      }
    }
    verify(job);
    summarize(completed, failed);
  }

  private void disturb(CheckpointDisk disk, JobMonitor monitor, SoakJob job)
      throws IOException, InterruptedException {
    long started = System.currentTimeMillis();
    job.submit(MOST_PARALLELISM, settings.rate());
    monitor.awaitRecovery(started, RECOVERY_BOUND);
    FaultPlan plan = new FaultPlan(random, disk.isMounted());
    ClusterFaultInjector injector =
        new ClusterFaultInjector(
            cluster, disk, monitor, job, random, MOST_PARALLELISM, settings.rate());
    long end = System.nanoTime() + settings.budget().time().toNanos();
    while (System.nanoTime() < end && survived.size() < settings.budget().most()) {
      FaultKind kind = plan.next();
      ClusterFaultInjector.InjectedFault fault = injector.inject(kind);
      // Some processes end by themselves, for example after a long freeze of another one.
      List<String> dead = cluster.dead();
      if (!dead.isEmpty()) {
        say("  " + dead + " ended by themselves");
        cluster.replaceDead();
      }
      JobMonitor.Recovery recovery = monitor.awaitRecovery(fault.recoveryStart(), RECOVERY_BOUND);
      survived.add(new Survived(kind, recovery));
      say(
          survived.size()
              + ". "
              + fault.description()
              + "; tasks ran after "
              + recovery.toRunning().toMillis()
              + " ms, checkpoint after "
              + recovery.toCheckpoint().toMillis()
              + " ms; "
              + monitor.completed()
              + " checkpoints completed, "
              + monitor.failed()
              + " failed");
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
    job.submit(MOST_PARALLELISM, UNLIMITED);
    say("No more faults; the job reads the rest of its input");
    monitor.awaitState("FINISHED", endBound());
  }

  /** While processes are down the job reads nothing: most of its input may be left. */
  private Duration endBound() {
    Duration run = settings.budget().time();
    return run.compareTo(SHORTEST_END_BOUND) > 0 ? run : SHORTEST_END_BOUND;
  }

  private void verify(SoakJob job) throws IOException {
    OutputVerifier verifier = new OutputVerifier(job.output(), workload);
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
        "| fault | times | median until all tasks run | worst | median until a checkpoint | worst |");
    out.println("|---|--:|--:|--:|--:|--:|");
    byKind.forEach((kind, all) -> row(kind.description, all));
    row("all", survived);
    out.println();
    out.println("Checkpoints: " + completed + " completed, " + failed + " failed or aborted.");
  }

  private void row(String name, List<Survived> all) {
    out.printf(
        "| %s | %d | %s | %s | %s | %s |%n",
        name,
        all.size(),
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
    CheckpointDisk.unmount(settings.directory());
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
