package io.millrace.soak;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Faults of a cluster with one JobManager. Every fault leaves all processes running and the disk
 * usable.
 */
final class ClusterFaultInjector implements FaultInjector {
  private static final Duration STOP_BOUND = Duration.ofMinutes(4);

  private final SoakCluster cluster;
  private final FaultyDisk disk;
  private final JobMonitor monitor;
  private final SoakJob job;
  private final Random random;
  private final int rate;

  ClusterFaultInjector(FaultTargets targets, int rate) {
    this.cluster = targets.cluster();
    this.disk = targets.checkpoints();
    this.monitor = targets.monitor();
    this.job = targets.job();
    this.random = targets.random();
    this.rate = rate;
  }

  @Override
  public List<FaultKind> kinds() {
    return FaultKind.of(false, disk.isMounted());
  }

  @Override
  public List<String> clusterOptions() {
    return List.of("--taskmanagers", "4", "--slots", "1");
  }

  @Override
  public InjectedFault inject(FaultKind kind) throws IOException, InterruptedException {
    long start = System.currentTimeMillis();
    String description = carryOut(kind);
    long from = kind.measuredFromEnd ? System.currentTimeMillis() : start;
    return new InjectedFault(description, from, from);
  }

  @Override
  public void verifyRecovered() {
    // The job is all there is.
  }

  @Override
  public void verifyFinished() {
    // The job is all there is.
  }

  @Override
  public List<String> remains() {
    return List.of();
  }

  @Override
  public void close() {
    // The disk is closed by its owner.
  }

  private String carryOut(FaultKind kind) throws IOException, InterruptedException {
    return switch (kind) {
      case KILL_TASKMANAGER -> kill(List.of(anyTaskManager()));
      case KILL_JOBMANAGER -> kill(List.of(SoakCluster.JOBMANAGER));
      case KILL_SEVERAL -> {
        List<String> several = new ArrayList<>(List.of(SoakCluster.JOBMANAGER));
        several.add(random.nextInt(2), anyTaskManager());
        yield kill(several);
      }
      case FREEZE_TASKMANAGER -> freeze(anyTaskManager());
      case FREEZE_JOBMANAGER -> freeze(SoakCluster.JOBMANAGER);
      case CUT_CONNECTIONS -> cut();
      case FILL_DISK -> disturbDisk(kind, disk::fill, disk::empty);
      case READ_ONLY_DISK -> disturbDisk(kind, disk::makeReadOnly, disk::makeWritable);
      case REMOVE_DISK -> disturbDisk(kind, disk::takeAway, disk::bringBack);
      case STOP_AND_RESUME -> stopAndResume(Optional.empty());
      case KILL_DURING_STOP ->
          stopAndResume(
              Optional.of(random.nextInt(3) == 0 ? SoakCluster.JOBMANAGER : anyTaskManager()));
      default -> throw new IllegalArgumentException(kind + " needs standbys");
    };
  }

  private String anyTaskManager() throws IOException {
    List<String> all = cluster.taskManagers();
    return all.get(random.nextInt(all.size()));
  }

  private void pause(int fromMillis, int toMillis) throws InterruptedException {
    Thread.sleep(fromMillis + random.nextInt(toMillis - fromMillis));
  }

  private String kill(List<String> names) throws IOException, InterruptedException {
    for (String name : names) {
      cluster.signal(name, "KILL");
      pause(0, 1_500);
    }
    cluster.replaceDead();
    return "SIGKILL of " + String.join(" and ", names);
  }

  private String freeze(String name) throws IOException, InterruptedException {
    int millis = 200 + random.nextInt(random.nextBoolean() ? 3_000 : 20_000);
    cluster.signal(name, "STOP");
    try {
      Thread.sleep(millis);
    } finally {
      cluster.signal(name, "CONT");
    }
    return "SIGSTOP of " + name + " for " + millis + " ms";
  }

  private String cut() throws IOException, InterruptedException {
    List<String> living = cluster.living();
    String name = living.get(random.nextInt(living.size()));
    int rounds = 1 + random.nextInt(3);
    int connections = 0;
    for (int i = 0; i < rounds; i++) {
      Optional<ProcessHandle> process = cluster.process(name);
      if (process.isPresent()) {
        connections += Connections.cut(process.get().pid(), random);
      }
      pause(50, 500);
    }
    return connections + " connections of " + name + " cut";
  }

  /** A step that may fail with the disk. */
  private interface DiskStep {
    void run() throws IOException, InterruptedException;
  }

  private String disturbDisk(FaultKind kind, DiskStep begin, DiskStep end)
      throws IOException, InterruptedException {
    int millis = 3_000 + random.nextInt(12_000);
    long failedBefore = monitor.failed();
    begin.run();
    try {
      Thread.sleep(millis);
      if (random.nextBoolean()) {
        cluster.signal(anyTaskManager(), "KILL");
        cluster.replaceDead();
      }
    } finally {
      end.run();
    }
    return kind.description
        + " for "
        + millis
        + " ms, "
        + (monitor.failed() - failedBefore)
        + " checkpoints failed";
  }

  private String stopAndResume(Optional<String> killed) throws IOException, InterruptedException {
    SoakCluster.RunningCommand command = job.startStop();
    if (killed.isPresent()) {
      pause(0, 2_500);
      cluster.signal(killed.get(), "KILL");
      cluster.replaceDead();
    }
    SoakCluster.CommandResult stop = command.await();
    if (killed.isEmpty()) {
      stop.succeeded();
    }
    String what = killed.map(name -> "stop with SIGKILL of " + name).orElse("stop");
    if (!hasFinished(stop)) {
      return what + ", which failed; the job goes on";
    }
    job.stopped(stop);
    int parallelism = 1 + random.nextInt(SoakJob.MOST_PARALLELISM);
    job.submit(parallelism, rate);
    return what + " and resume with parallelism " + parallelism;
  }

  /** Whether the job has stopped, also if the command did not see it. */
  private boolean hasFinished(SoakCluster.CommandResult stop) throws InterruptedException {
    long end = System.nanoTime() + STOP_BOUND.toNanos();
    while (System.nanoTime() < end) {
      String state = monitor.state();
      if (state.equals("FINISHED")) {
        return true;
      }
      if (stop.code() != 0 && state.equals("RUNNING")) {
        return false;
      }
      Thread.sleep(100);
    }
    throw new SoakException(
        "The job is neither stopped nor running but '" + monitor.state() + "' after " + stop);
  }
}
