package io.millrace.sim.scenario;

import java.util.List;
import java.util.Locale;

/** What a scenario is mostly about. */
public enum ScenarioKind {
  /** Nothing bad happens. */
  CALM,
  /** TaskManagers crash, come back, freeze and have wrong clocks; tasks fail and hang. */
  WORKERS,
  /** Connections break, are slow, repeat themselves, or carry nothing one way or both. */
  NETWORK,
  /** JobManagers are killed and frozen, and several contend for leadership. */
  JOBMANAGERS,
  /** The storage of JobManagers is slow, full, away, or says no after having done it. */
  STORAGE,
  /** Workers are started on demand by a driver with bad habits, within limits that change. */
  ELASTIC,
  /** Everything at once. */
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
    throw new IllegalArgumentException("There is no scenario '" + word + "'");
  }

  /** The kind whose turn it is where all kinds take turns. */
  public static ScenarioKind turn(long seed) {
    List<ScenarioKind> all = List.of(values());
    return all.get((int) Math.floorMod(seed, (long) all.size()));
  }
}
