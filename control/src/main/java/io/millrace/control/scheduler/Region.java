package io.millrace.control.scheduler;

import java.util.ArrayList;
import java.util.List;

/** Subtasks that exchange records while they run: they start, fail and restart together. */
final class Region {
  /**
   * Transitions: CREATED → WAITING | STOPPING; WAITING → ACTIVE | STOPPING; ACTIVE → STOPPING;
   * STOPPING → WAITING. A region whose tasks have all finished stays ACTIVE; it can only be stopped
   * together with the job, where nothing is left to stop.
   */
  enum Phase {
    /** The job has not been started. */
    CREATED,
    /** Its tasks are scheduled and wait for slots. */
    WAITING,
    /** Its tasks were deployed. */
    ACTIVE,
    /** Its tasks are being ended; whether it starts again is the job's matter. */
    STOPPING
  }

  final int id;
  final List<Subtask> subtasks = new ArrayList<>();
  final List<SharedSlot> slots = new ArrayList<>();
  Phase phase = Phase.CREATED;

  /** Executions that have not ended. */
  int open;

  /** Shared slots that have no slot. */
  int missing;

  /** The fail-over it is in; counts only while STOPPING. */
  long failover;

  boolean delayOver;

  Region(int id) {
    this.id = id;
  }
}
