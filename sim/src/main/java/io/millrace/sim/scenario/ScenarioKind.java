package io.millrace.sim.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The main kind of faults of a scenario. */
public enum ScenarioKind {
  /** No faults. */
  CALM,
  /** TaskManagers crash, restart, freeze and have wrong clocks; tasks fail and hang. */
  WORKERS,
  /** Connections break, are slow, repeat calls, or are partitioned in one or both directions. */
  NETWORK,
  /** JobManagers are killed and frozen, and several contend for leadership. */
  JOBMANAGERS,
  /** The storage of JobManagers is slow, full, unavailable, or reports a failure after a write. */
  STORAGE,
  /** A faulty driver starts workers on demand, within limits that change. */
  ELASTIC,
  /** All kinds of faults. */
  MIXED,
  /**
   * JobManagers contend at ZooKeeper with the production election: they are killed, frozen, cut off
   * from it or from each other, lose their sessions and read stale nodes. Not in the turn of the
   * other kinds, except in nightly runs.
   */
  ZOOKEEPER;

  private static final List<ScenarioKind> IN_TURN =
      Arrays.stream(values()).filter(kind -> kind != ZOOKEEPER).toList();

  /** The name on the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static ScenarioKind of(String word) {
    for (ScenarioKind kind : values()) {
      if (kind.word().equals(word)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("There is no kind of scenario '" + word + "'");
  }

  /** The kind of a seed if the kinds take turns. */
  public static ScenarioKind ofSeed(long seed) {
    return IN_TURN.get((int) Math.floorMod(seed, (long) IN_TURN.size()));
  }
}
