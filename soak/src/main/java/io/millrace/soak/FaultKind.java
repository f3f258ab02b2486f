package io.millrace.soak;

/** What is done to the cluster. */
enum FaultKind {
  KILL_TASKMANAGER("SIGKILL of a TaskManager", 6, false, false),
  KILL_JOBMANAGER("SIGKILL of the JobManager", 3, false, false),
  KILL_SEVERAL("SIGKILL of the JobManager and of TaskManagers", 2, false, false),
  FREEZE_TASKMANAGER("SIGSTOP of a TaskManager", 4, false, true),
  FREEZE_JOBMANAGER("SIGSTOP of the JobManager", 2, false, true),
  CUT_CONNECTIONS("connections of a process cut", 5, false, false),
  FILL_DISK("checkpoint disk full", 1, true, true),
  READ_ONLY_DISK("checkpoint disk read-only", 1, true, true),
  REMOVE_DISK("checkpoint disk gone", 1, true, true),
  STOP_AND_RESUME("stop with savepoint and resume with another parallelism", 3, false, false),
  KILL_DURING_STOP("SIGKILL of a process during a stop with savepoint", 2, false, false);

  final String description;

  /** How often it is chosen, in relation to the others. */
  final int weight;

  final boolean needsDisk;

  /** Whether the fault lasts for some time, so that the recovery is measured from its end. */
  final boolean lasts;

  FaultKind(String description, int weight, boolean needsDisk, boolean lasts) {
    this.description = description;
    this.weight = weight;
    this.needsDisk = needsDisk;
    this.lasts = lasts;
  }
}
