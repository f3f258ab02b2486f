package io.millrace.protocol;

import io.millrace.api.execution.JobStatus;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The metrics of jobs and of the cluster with the names of Flink. */
public final class NamedMetrics {
  private static final List<JobStatus> TIMED =
      List.of(
          JobStatus.INITIALIZING,
          JobStatus.CREATED,
          JobStatus.RUNNING,
          JobStatus.RESTARTING,
          JobStatus.FAILING,
          JobStatus.CANCELLING);

  private NamedMetrics() {}

  /** The metrics of the JobManager that are about the cluster. */
  public static Map<String, Number> ofCluster(List<WorkerInfo> workers, List<JobOverview> jobs) {
    Map<String, Number> named = new LinkedHashMap<>();
    named.put("numRegisteredTaskManagers", workers.size());
    named.put("taskSlotsTotal", workers.stream().mapToInt(WorkerInfo::slots).sum());
    named.put("taskSlotsAvailable", workers.stream().mapToInt(WorkerInfo::freeSlots).sum());
    named.put("numRunningJobs", jobs.stream().filter(job -> !job.status().isTerminal()).count());
    return named;
  }

  /**
   * The metrics of a job.
   *
   * @param now in milliseconds since the epoch
   */
  public static Map<String, Number> of(JobDetails job, CheckpointStatistics checkpoints, long now) {
    Map<String, Number> named = new LinkedHashMap<>();
    named.put("uptime", since(job, JobStatus.RUNNING, now));
    named.put("downtime", since(job, JobStatus.RESTARTING, now));
    named.put("numRestarts", job.restarts());
    named.put("fullRestarts", job.restarts());
    for (JobStatus status : TIMED) {
      String name = status.name().toLowerCase(Locale.ROOT) + "Time";
      named.put(name, Math.max(0, since(job, status, now)));
    }
    CheckpointCounts counts = checkpoints.counts();
    named.put("totalNumberOfCheckpoints", counts.total());
    named.put("numberOfInProgressCheckpoints", counts.inProgress());
    named.put("numberOfCompletedCheckpoints", counts.completed());
    named.put("numberOfFailedCheckpoints", counts.failed());
    CheckpointRecord last = checkpoints.latestCompleted().orElse(null);
    named.put("lastCompletedCheckpointId", last == null ? -1 : last.number());
    named.put("lastCheckpointDuration", last == null ? -1 : last.durationMillis());
    named.put("lastCheckpointSize", last == null ? -1 : last.totals().newBytes());
    named.put("lastCheckpointFullSize", last == null ? -1 : last.totals().bytes());
    named.put("lastCheckpointProcessedData", last == null ? -1 : last.totals().processedBytes());
    named.put("lastCheckpointPersistedData", last == null ? -1 : last.totals().persistedBytes());
    named.put(
        "lastCheckpointRestoreTimestamp",
        checkpoints.restored().map(CheckpointStatistics.RestoredState::at).orElse(-1L));
    return named;
  }

  /** How long the job has been in a status: 0 if it is in another one, -1 if it has ended. */
  private static long since(JobDetails job, JobStatus status, long now) {
    if (job.status().isTerminal()) {
      return -1;
    }
    return job.status() == status ? Math.max(0, now - job.timestamps().get(status)) : 0;
  }
}
