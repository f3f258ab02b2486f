package io.millrace.bench.load;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Drives W8 and W9 on a cluster of any engine with Flink's REST API. */
public final class StateLoadRun {
  private static final long BOUND_NANOS = 1_800_000_000_000L;

  /** A record that is later than this has not caught up. */
  private static final long CAUGHT_UP_MILLIS = 1_000;

  private final StateLoad load;
  private final StateLoadCluster cluster;

  /** The cluster on which the job runs. */
  public interface StateLoadCluster {
    /** The answer of a GET below {@code /jobs/JOB}; empty if there is none. */
    String get(String path) throws IOException, InterruptedException;

    /** Kills the process that runs the tasks. */
    void killBusy() throws IOException, InterruptedException;

    /** Whether all tasks run in a later attempt than the first. */
    boolean runsAgain() throws IOException, InterruptedException;
  }

  /** A condition on the cluster. */
  private interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  public StateLoadRun(StateLoad load, StateLoadCluster cluster) {
    this.load = load;
    this.cluster = cluster;
  }

  /** W8: from the death of a process to all tasks running, and to having caught up. */
  public void killAndCatchUp(JsonLine json) throws IOException, InterruptedException {
    long began = System.nanoTime();
    awaitLoaded();
    await("the job keeps up", this::keepsUp);
    json.put("loadSeconds", seconds(began));
    long id = completed();
    await("a checkpoint has the whole state", () -> completed() >= id + 2);
    json.put("stateMb", number("state_size") / 1e6);
    json.put("checkpointMs", number("end_to_end_duration"));
    await("the job keeps up", this::keepsUp);
    long killed = System.nanoTime();
    long killedAt = System.currentTimeMillis();
    cluster.killBusy();
    await("all tasks run again", cluster::runsAgain);
    json.put("runningAgain", seconds(killed));
    await(
        "the job has caught up",
        () -> {
          StateLoad.Report report = StateLoad.Report.read(load.directory(), 0);
          return report != null
              && report.time() > killedAt
              && report.lagMillis() < CAUGHT_UP_MILLIS;
        });
    json.put("caughtUp", seconds(killed));
  }

  /** W9: updates per second with the whole state loaded, and the bytes of checkpoints. */
  public void measureUpdates(int warmUpSeconds, int measureSeconds, JsonLine json)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    awaitLoaded();
    json.put("loadSeconds", seconds(began));
    Thread.sleep(warmUpSeconds * 1000L);
    StateLoad.Report before = StateLoad.Report.read(load.directory(), 0);
    long checkpointsBefore = completed();
    Thread.sleep(measureSeconds * 1000L);
    StateLoad.Report after = StateLoad.Report.read(load.directory(), 0);
    json.put(
        "updatesPerS",
        (after.updates() - before.updates()) * 1000.0 / (after.time() - before.time()));
    long id = Math.max(checkpointsBefore, completed());
    await("a checkpoint completes", () -> completed() > id);
    json.put("checkpoints", completed() - checkpointsBefore);
    json.put("stateMb", number("state_size") / 1e6);
    json.put("checkpointedMb", number("checkpointed_size") / 1e6);
    json.put("checkpointMs", number("end_to_end_duration"));
  }

  private void awaitLoaded() throws IOException, InterruptedException {
    await(
        "the state is loaded",
        () -> {
          StateLoad.Report report = StateLoad.Report.read(load.directory(), 0);
          return report != null && report.records() >= load.keys() && report.updates() > 0;
        });
  }

  private boolean keepsUp() throws IOException {
    StateLoad.Report report = StateLoad.Report.read(load.directory(), 0);
    return System.currentTimeMillis() - report.time() < CAUGHT_UP_MILLIS
        && report.lagMillis() < CAUGHT_UP_MILLIS;
  }

  private long completed() throws IOException, InterruptedException {
    Matcher counts = Pattern.compile("\"completed\":(\\d+)").matcher(cluster.get("/checkpoints"));
    return counts.find() ? Long.parseLong(counts.group(1)) : 0;
  }

  /** A figure of the last completed checkpoint. */
  private double number(String field) throws IOException, InterruptedException {
    String answer = cluster.get("/checkpoints");
    int latest = answer.indexOf("\"latest\"");
    Matcher value = Pattern.compile("\"" + field + "\":(\\d+)").matcher(answer);
    if (!value.find(Math.max(0, latest))) {
      throw new IOException("No " + field + " in " + answer);
    }
    return Double.parseDouble(value.group(1));
  }

  private static void await(String what, Condition condition)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + BOUND_NANOS;
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new IOException("Not in time: " + what);
      }
      Thread.sleep(10);
    }
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }
}
