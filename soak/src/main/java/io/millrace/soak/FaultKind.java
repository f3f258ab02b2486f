package io.millrace.soak;

import java.util.Arrays;
import java.util.List;

/** What is done to the cluster. */
enum FaultKind {
  KILL_TASKMANAGER("SIGKILL of a TaskManager", 6, Target.PROCESSES, false),
  KILL_JOBMANAGER("SIGKILL of the JobManager", 3, Target.PROCESSES, false),
  KILL_SEVERAL("SIGKILL of the JobManager and of TaskManagers", 2, Target.PROCESSES, false),
  FREEZE_TASKMANAGER("SIGSTOP of a TaskManager", 4, Target.PROCESSES, true),
  FREEZE_JOBMANAGER("SIGSTOP of the JobManager", 2, Target.PROCESSES, true),
  CUT_CONNECTIONS("connections of a process cut", 5, Target.PROCESSES, false),
  FILL_DISK("checkpoint disk full", 1, Target.CHECKPOINT_DISK, true),
  READ_ONLY_DISK("checkpoint disk read-only", 1, Target.CHECKPOINT_DISK, true),
  REMOVE_DISK("checkpoint disk gone", 1, Target.CHECKPOINT_DISK, true),
  STOP_AND_RESUME(
      "stop with savepoint and resume with another parallelism", 3, Target.PROCESSES, false),
  KILL_DURING_STOP("SIGKILL of a process during a stop with savepoint", 2, Target.PROCESSES, false),

  KILL_LEADER("SIGKILL of the leading JobManager", 3, Target.LEADERSHIP, false),
  FREEZE_LEADER("SIGSTOP of the leading JobManager for 30 s", 1, Target.LEADERSHIP, false),
  LOSE_SERVER("loss of one ZooKeeper server", 2, Target.LEADERSHIP, false),
  LOSE_MAJORITY("loss of two of three ZooKeeper servers for 20 s", 1, Target.LEADERSHIP, false),
  CUT_COORDINATOR("a JobManager cut off from ZooKeeper", 3, Target.LEADERSHIP, false),
  EXPIRE_SESSION("expired session of a JobManager", 3, Target.LEADERSHIP, false),
  REMOVE_STORAGE("recovery storage gone for 10 s", 2, Target.RECOVERY_DISK, false);

  /** What a fault disturbs. */
  enum Target {
    PROCESSES(false, false),
    CHECKPOINT_DISK(false, true),
    LEADERSHIP(true, false),
    RECOVERY_DISK(true, true);

    final boolean needsStandbys;
    final boolean needsDisk;

    Target(boolean needsStandbys, boolean needsDisk) {
      this.needsStandbys = needsStandbys;
      this.needsDisk = needsDisk;
    }
  }

  final String description;

  /** How often it is chosen, in relation to the others. */
  final int weight;

  final Target target;

  /**
   * Whether the recovery is measured from the end of the fault. Faults of the leadership are
   * measured from their beginning: another JobManager takes over while they last.
   */
  final boolean measuredFromEnd;

  FaultKind(String description, int weight, Target target, boolean measuredFromEnd) {
    this.description = description;
    this.weight = weight;
    this.target = target;
    this.measuredFromEnd = measuredFromEnd;
  }

  /** The faults of a cluster with one JobManager, or of one with standbys. */
  static List<FaultKind> of(boolean standbys, boolean hasDisk) {
    return Arrays.stream(values())
        .filter(kind -> kind.target.needsStandbys == standbys)
        .filter(kind -> hasDisk || !kind.target.needsDisk)
        .toList();
  }
}
