package io.millrace.control.scheduler;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.error.Failure;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.ConcurrentFailure;
import io.millrace.protocol.JobDetails.EarlierAttempt;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobDetails.StatusHistory;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobMasterGateway.JobMasterReport;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.JobSlots;
import io.millrace.task.TaskState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The status of a job with its history, and the number of tasks per state. */
final class JobProgress {
  private static final TaskState[] STATES = TaskState.values();
  private static final int MAX_FAILURES = 16;
  private static final int MAX_CONCURRENT_FAILURES = 8;

  /** Details of a job are requested often, so that few attempts of a large job are kept. */
  private static final int MAX_EARLIER_ATTEMPTS = 64;

  private final JobGraph job;
  private final Map<JobStatus, Long> timestamps = new LinkedHashMap<>();
  private final Map<TaskState, Integer> tasks = new EnumMap<>(TaskState.class);
  private int total;
  private final Deque<RecordedFailure> failures = new ArrayDeque<>();
  private final Deque<EarlierAttempt> earlier = new ArrayDeque<>();
  private final long startedAt;
  private JobStatus status = JobStatus.INITIALIZING;
  private long changedAt;
  private long endedAt = -1;

  JobProgress(JobGraph job, long wallMillis) {
    this.job = job;
    this.startedAt = wallMillis;
    this.changedAt = wallMillis;
    timestamps.put(status, wallMillis);
  }

  JobStatus status() {
    return status;
  }

  void become(JobStatus next, long wallMillis) {
    if (!status.canBecome(next)) {
      throw new IllegalStateException(
          "Job " + job.id() + " is " + status + " and cannot become " + next);
    }
    status = next;
    changedAt = wallMillis;
    timestamps.put(next, wallMillis);
    if (next.isTerminal()) {
      endedAt = wallMillis;
    }
  }

  void count(TaskState state) {
    tasks.merge(state, 1, Integer::sum);
    total++;
  }

  void forget(TaskState state) {
    tasks.merge(state, -1, Integer::sum);
    total--;
  }

  boolean allRunning() {
    int running = tasks.getOrDefault(TaskState.RUNNING, 0);
    return running > 0 && running + tasks.getOrDefault(TaskState.FINISHED, 0) == total;
  }

  /** Records a failure of the job as a whole. */
  void failed(Failure failure, ClockReading now) {
    failed(new RecordedFailure(failure, now.wallMillis(), "", Optional.empty()));
  }

  void failed(RecordedFailure failure) {
    failures.addFirst(failure);
    if (failures.size() > MAX_FAILURES) {
      failures.removeLast();
    }
  }

  /** Records a failure of a task that the last recorded failure stops anyway. */
  void failedConcurrently(ConcurrentFailure failure) {
    RecordedFailure last = failures.peekFirst();
    if (last != null && last.concurrent().size() < MAX_CONCURRENT_FAILURES) {
      failures.removeFirst();
      failures.addFirst(last.and(failure));
    }
  }

  /** Keeps an attempt that another one replaces. */
  void replaced(Execution execution) {
    Subtask subtask = execution.subtask;
    earlier.addFirst(new EarlierAttempt(subtask.vertex.id(), subtask.index, execution.details()));
    if (earlier.size() > MAX_EARLIER_ATTEMPTS) {
      earlier.removeLast();
    }
  }

  /** Replaces a recorded failure by the same one with its cause. */
  void explained(Failure failure, Failure better) {
    List<RecordedFailure> known = new ArrayList<>(failures);
    failures.clear();
    for (RecordedFailure recorded : known) {
      failures.addLast(recorded.failure().equals(failure) ? recorded.explained(better) : recorded);
    }
  }

  JobResult result(Optional<Failure> failure, ExecutionGraph graph) {
    Map<String, AccumulatorValue> accumulators = new TreeMap<>();
    for (List<Subtask> subtasks : graph.vertices) {
      for (Subtask subtask : subtasks) {
        subtask
            .current
            .reported()
            .ifPresent(
                counters -> AccumulatorValue.mergeInto(accumulators, counters.accumulators()));
      }
    }
    return new JobResult(job.id(), status, endedAt - startedAt, failure, accumulators);
  }

  JobMasterReport report() {
    return new JobMasterReport(
        total, tasks.getOrDefault(TaskState.RUNNING, 0), tasks.getOrDefault(TaskState.FINISHED, 0));
  }

  JobOverview overview() {
    Map<TaskState, Integer> counts = new LinkedHashMap<>();
    for (TaskState state : STATES) {
      counts.put(state, tasks.getOrDefault(state, 0));
    }
    return new JobOverview(
        job.id(),
        job.name(),
        job.type(),
        status,
        startedAt,
        endedAt,
        changedAt,
        counts,
        Optional.empty());
  }

  JobDetails details(ExecutionGraph graph, int restarts) {
    List<VertexDetails> vertices = new ArrayList<>();
    for (List<Subtask> subtasks : graph.vertices) {
      List<SubtaskDetails> attempts = new ArrayList<>(subtasks.size());
      subtasks.forEach(subtask -> attempts.add(subtask.current.details()));
      vertices.add(new VertexDetails(subtasks.get(0).vertex.id(), attempts));
    }
    return new JobDetails(
        job,
        new StatusHistory(status, startedAt, endedAt, timestamps),
        JobSlots.NONE,
        Optional.empty(),
        restarts,
        vertices,
        new ArrayList<>(failures),
        new ArrayList<>(earlier));
  }
}
