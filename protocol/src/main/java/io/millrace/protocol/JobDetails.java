package io.millrace.protocol;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskRates;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The details of a job at one moment. Times are milliseconds since the epoch.
 *
 * @param slots the required and held slots
 * @param waitingFor what the job waits for; empty if it does not wait
 * @param failures newest first, bounded
 * @param earlier attempts that later ones have replaced, newest first, bounded
 */
public record JobDetails(
    JobGraph graph,
    StatusHistory statusHistory,
    JobSlots slots,
    Optional<Reason> waitingFor,
    int restarts,
    List<VertexDetails> vertices,
    List<RecordedFailure> failures,
    List<EarlierAttempt> earlier) {
  public JobDetails {
    Objects.requireNonNull(graph);
    Objects.requireNonNull(statusHistory);
    Objects.requireNonNull(slots);
    Objects.requireNonNull(waitingFor);
    vertices = OrderedCopies.list(vertices);
    failures = OrderedCopies.list(failures);
    earlier = OrderedCopies.list(earlier);
  }

  /** The details of a job of which no attempt was replaced. */
  public JobDetails(
      JobGraph graph,
      StatusHistory statusHistory,
      JobSlots slots,
      Optional<Reason> waitingFor,
      int restarts,
      List<VertexDetails> vertices,
      List<RecordedFailure> failures) {
    this(
        graph,
        statusHistory,
        slots,
        waitingFor,
        restarts,
        vertices,
        failures,
        Collections.emptyList());
  }

  public JobDetails with(JobSlots now) {
    return new JobDetails(
        graph, statusHistory, now, waitingFor, restarts, vertices, failures, earlier);
  }

  public JobDetails withWaitingFor(Reason reason) {
    return new JobDetails(
        graph, statusHistory, slots, Optional.of(reason), restarts, vertices, failures, earlier);
  }

  /** These details without the user functions of the graph. */
  JobDetails withoutFunctions() {
    return new JobDetails(
        graph.withoutFunctions(),
        statusHistory,
        slots,
        waitingFor,
        restarts,
        vertices,
        failures,
        earlier);
  }

  public JobId id() {
    return graph.id();
  }

  public JobStatus status() {
    return statusHistory.status();
  }

  public long startedAt() {
    return statusHistory.startedAt();
  }

  public long endedAt() {
    return statusHistory.endedAt();
  }

  public Map<JobStatus, Long> timestamps() {
    return statusHistory.timestamps();
  }

  /**
   * The status of a job and the times of its changes.
   *
   * @param endedAt -1 if the job has not ended
   * @param timestamps when the job entered each status it was in
   */
  public record StatusHistory(
      JobStatus status, long startedAt, long endedAt, Map<JobStatus, Long> timestamps) {
    public StatusHistory {
      Objects.requireNonNull(status);
      timestamps = OrderedCopies.map(timestamps);
    }
  }

  /** A vertex with its current attempts, in the order of the subtasks. */
  public record VertexDetails(VertexId id, List<SubtaskDetails> subtasks) {
    public VertexDetails {
      Objects.requireNonNull(id);
      subtasks = OrderedCopies.list(subtasks);
    }
  }

  /**
   * @param entered when the attempt entered each state, in the order of {@link TaskState#values()};
   *     -1 if it did not
   * @param counters the last report of the worker
   * @param earlier the report before the last; the difference shows the current rate
   * @param endpoint {@code host:port} of the worker for records; empty if it is not known
   */
  public record SubtaskDetails(
      ExecutionId execution,
      int attempt,
      TaskState state,
      Optional<WorkerId> worker,
      long[] entered,
      Optional<TaskCounters> counters,
      Optional<TaskCounters> earlier,
      String endpoint) {
    public SubtaskDetails {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(state);
      Objects.requireNonNull(worker);
      entered = entered.clone();
      Objects.requireNonNull(counters);
      Objects.requireNonNull(earlier);
      Objects.requireNonNull(endpoint);
    }

    /** An attempt on a worker whose address is not known. */
    public SubtaskDetails(
        ExecutionId execution,
        int attempt,
        TaskState state,
        Optional<WorkerId> worker,
        long[] entered,
        Optional<TaskCounters> counters,
        Optional<TaskCounters> earlier) {
      this(execution, attempt, state, worker, entered, counters, earlier, "");
    }

    /** The current rates. */
    public TaskRates rates() {
      return state.isTerminal() ? TaskRates.NONE : new TaskRates(counters, earlier);
    }
  }

  /** An attempt that a later one of the same subtask has replaced. */
  public record EarlierAttempt(VertexId vertex, int subtask, SubtaskDetails details) {
    public EarlierAttempt {
      Objects.requireNonNull(vertex);
      Objects.requireNonNull(details);
    }
  }

  /**
   * @param task the failed task, such as {@code Sink: print (2/4)}; empty for a failure of the job
   * @param endpoint {@code host:port} of the worker for records; empty if it is not known
   * @param concurrent failures of other tasks before those of the first one were stopped; oldest
   *     first, bounded
   */
  public record RecordedFailure(
      Failure failure,
      long at,
      String task,
      Optional<WorkerId> worker,
      String endpoint,
      List<ConcurrentFailure> concurrent) {
    public RecordedFailure {
      Objects.requireNonNull(failure);
      Objects.requireNonNull(task);
      Objects.requireNonNull(worker);
      Objects.requireNonNull(endpoint);
      concurrent = OrderedCopies.list(concurrent);
    }

    /** A failure on a worker whose address is not known. */
    public RecordedFailure(Failure failure, long at, String task, Optional<WorkerId> worker) {
      this(failure, at, task, worker, "", Collections.emptyList());
    }

    /** The same failure with its cause. */
    public RecordedFailure explained(Failure better) {
      return new RecordedFailure(better, at, task, worker, endpoint, concurrent);
    }

    public RecordedFailure and(ConcurrentFailure other) {
      List<ConcurrentFailure> more = new ArrayList<>(concurrent);
      more.add(other);
      return new RecordedFailure(failure, at, task, worker, endpoint, more);
    }
  }

  /**
   * @param task the failed task
   * @param endpoint {@code host:port} of the worker for records; empty if it is not known
   */
  public record ConcurrentFailure(
      Failure failure, long at, String task, Optional<WorkerId> worker, String endpoint) {
    public ConcurrentFailure {
      Objects.requireNonNull(failure);
      Objects.requireNonNull(task);
      Objects.requireNonNull(worker);
      Objects.requireNonNull(endpoint);
    }
  }
}
