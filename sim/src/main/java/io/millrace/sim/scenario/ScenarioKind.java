package io.millrace.sim.scenario;

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
  MIXED;

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

  /** The kind of a seed if all kinds take turns. */
  public static ScenarioKind ofSeed(long seed) {
    List<ScenarioKind> all = List.of(values());
    return all.get((int) Math.floorMod(seed, (long) all.size()));
  }
}
