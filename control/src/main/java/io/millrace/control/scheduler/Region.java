package io.millrace.control.scheduler;

import java.util.ArrayList;
import java.util.List;

/** Subtasks that exchange records while they run: they start, fail and restart together. */
final class Region {
  /**
   *
   *
   * <pre>
   * from                      to        when
   * CREATED                   WAITING   the job starts
   * CREATED                   ACTIVE    the job starts, and the tasks of its former leader are
   *                                     adopted
   * WAITING                   ACTIVE    all slots are there, tasks are deployed
   * CREATED, WAITING, ACTIVE  STOPPING  a task fails, also one of another region that stops with
   *                                     the same savepoint; or the job is cancelled or fails
   * STOPPING                  WAITING   all tasks have ended and the restart delay is over
   * </pre>
   *
   * <p>A region whose tasks have all finished stays ACTIVE.
   */
  enum Phase {
    /** The job is not started. */
    CREATED,
    /** Its tasks are scheduled and wait for slots. */
    WAITING,
    /** Its tasks are deployed. */
    ACTIVE,
    /** Its tasks are being cancelled. The status of the job decides whether the region restarts. */
    STOPPING
  }

  final int id;
  final List<Subtask> subtasks = new ArrayList<>();
  final List<SharedSlot> slots = new ArrayList<>();
  Phase phase = Phase.CREATED;

  /** The number of executions that have not ended. */
  int open;

  /** The number of shared slots without an allocated slot. */
  int missing;

  /** The number of the current fail-over; valid only while STOPPING. */
  long failover;

  boolean delayOver;

  Region(int id) {
    this.id = id;
  }
}
