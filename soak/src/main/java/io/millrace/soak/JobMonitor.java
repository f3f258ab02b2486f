package io.millrace.soak;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/** Polls a job and its checkpoints, and adds up what each JobManager counts from 0. */
final class JobMonitor implements AutoCloseable {
  private static final long POLL_NANOS = 100_000_000;
  private static final int COMPLETIONS = 1_000;

  private final SoakCluster cluster;
  private final Thread thread;
  private volatile boolean closed;
  private volatile Sample latest = Sample.NONE;

  // The fields below are guarded by this object.
  private String job = "";
  private long completed;
  private long failed;
  private long seenCompleted;
  private long seenFailed;
  private long lastDisturbance;

  /** Completed checkpoints that polls saw: when each was triggered, and when it was complete. */
  private final TreeMap<Long, Long> completions = new TreeMap<>();

  /**
   * What the last poll saw.
   *
   * @param state empty if the JobManager did not answer
   * @param trigger the start of the last completed checkpoint
   */
  private record Sample(String job, String state, boolean allRunning, long trigger) {
    static final Sample NONE = new Sample("", "", false, 0);
  }

  /**
   * The way back from a fault.
   *
   * @param toRunning until all tasks ran and did not stop any more; zero if they never stopped
   * @param toCheckpoint until a checkpoint that was triggered after the end of the fault had
   *     completed
   */
  record Recovery(Duration toRunning, Duration toCheckpoint) {}

  JobMonitor(SoakCluster cluster) {
    this.cluster = cluster;
    this.thread = new Thread(this::poll, "job-monitor");
    thread.setDaemon(true);
    thread.start();
  }

  synchronized void follow(String id) {
    addSeen();
    job = id;
  }

  private void addSeen() {
    completed += seenCompleted;
    failed += seenFailed;
    seenCompleted = 0;
    seenFailed = 0;
  }

  synchronized long completed() {
    return completed + seenCompleted;
  }

  synchronized long failed() {
    return failed + seenFailed;
  }

  synchronized String job() {
    return job;
  }

  /** The state of the job; empty if the JobManager does not answer. */
  String state() {
    Sample sample = latest;
    return sample.job.equals(job()) ? sample.state : "";
  }

  private void poll() {
    try {
      while (!closed) {
        String id = job();
        if (!id.isEmpty()) {
          take(id, cluster.get("/jobs/" + id), cluster.get("/jobs/" + id + "/checkpoints"));
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void take(
      String id, Optional<JsonNode> details, Optional<JsonNode> checkpoints) {
    if (!id.equals(job)) {
      return;
    }
    String state = details.map(answer -> answer.path("state").asText()).orElse("");
    boolean allRunning = state.equals("RUNNING") && details.map(JobMonitor::runs).orElse(false);
    if (!allRunning) {
      lastDisturbance = System.currentTimeMillis();
    }
    long trigger = 0;
    if (checkpoints.isPresent()) {
      JsonNode counts = checkpoints.get().path("counts");
      if (counts.path("completed").asLong() < seenCompleted
          || counts.path("failed").asLong() < seenFailed) {
        addSeen();
      }
      seenCompleted = counts.path("completed").asLong();
      seenFailed = counts.path("failed").asLong();
      JsonNode last = checkpoints.get().path("latest").path("completed");
      trigger = last.path("trigger_timestamp").asLong();
      completions.put(trigger, last.path("latest_ack_timestamp").asLong());
      while (completions.size() > COMPLETIONS) {
        completions.pollFirstEntry();
      }
    }
    latest = new Sample(id, state, allRunning, trigger);
  }

  private static boolean runs(JsonNode details) {
    for (JsonNode vertex : details.path("vertices")) {
      JsonNode tasks = vertex.path("tasks");
      if (tasks.path("RUNNING").asInt() + tasks.path("FINISHED").asInt()
          != vertex.path("parallelism").asInt()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Waits until all tasks run and a checkpoint that was triggered later has completed.
   *
   * @param since from when the recovery is measured
   * @param ended the checkpoint was triggered after this
   */
  Recovery awaitRecovery(long since, long ended, Duration bound) throws InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    while (System.nanoTime() < end) {
      Sample sample = latest;
      if (sample.job.equals(job())) {
        if (sample.allRunning && sample.trigger > ended) {
          synchronized (this) {
            return new Recovery(
                Duration.ofMillis(Math.max(0, lastDisturbance - since)),
                Duration.ofMillis(completions.higherEntry(ended).getValue() - since));
          }
        }
        if (sample.state.equals("FAILED") || sample.state.equals("CANCELED")) {
          throw new SoakException("Job " + sample.job + " is " + sample.state);
        }
        if (sample.state.equals("FINISHED")) {
          throw new SoakException(
              "Job "
                  + sample.job
                  + " has finished before its end: it needs more input, see --minutes");
        }
      }
      Thread.sleep(50);
    }
    throw new SoakException(
        "Job " + job() + " has not recovered within " + bound + "; the last poll saw " + latest);
  }

  /** Waits for a state; fails in another final state. */
  void awaitState(String state, Duration bound) throws InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    while (System.nanoTime() < end) {
      String now = state();
      if (now.equals(state)) {
        return;
      }
      if (now.equals("FAILED") || now.equals("CANCELED") || now.equals("FINISHED")) {
        throw new SoakException("Job " + job() + " is " + now + " instead of " + state);
      }
      Thread.sleep(50);
    }
    throw new SoakException(
        "Job " + job() + " is not " + state + " within " + bound + " but '" + state() + "'");
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
