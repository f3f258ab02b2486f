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
import io.millrace.task.TaskState;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Everything there is to say about a job at one moment. Times are milliseconds since the epoch, -1
 * for what has not happened.
 *
 * @param timestamps when the job entered each state it was in
 * @param slots the slots it needs and has now
 * @param waitingFor what the job waits for; nothing where it does not wait
 * @param failures newest first, bounded
 */
public record JobDetails(
    JobGraph graph,
    JobStatus status,
    long startedAt,
    long endedAt,
    Map<JobStatus, Long> timestamps,
    JobSlots slots,
    Optional<Reason> waitingFor,
    int restarts,
    List<VertexDetails> vertices,
    List<RecordedFailure> failures) {

  public JobDetails {
    Objects.requireNonNull(graph);
    Objects.requireNonNull(status);
    timestamps = OrderedCopies.map(timestamps);
    Objects.requireNonNull(slots);
    Objects.requireNonNull(waitingFor);
    vertices = OrderedCopies.list(vertices);
    failures = OrderedCopies.list(failures);
  }

  /** A job that has no slots and asks for none. */
  public JobDetails(
      JobGraph graph,
      JobStatus status,
      long startedAt,
      long endedAt,
      Map<JobStatus, Long> timestamps,
      Optional<Reason> waitingFor,
      int restarts,
      List<VertexDetails> vertices,
      List<RecordedFailure> failures) {
    this(
        graph,
        status,
        startedAt,
        endedAt,
        timestamps,
        JobSlots.NONE,
        waitingFor,
        restarts,
        vertices,
        failures);
  }

  public JobDetails with(JobSlots slots) {
    return new JobDetails(
        graph,
        status,
        startedAt,
        endedAt,
        timestamps,
        slots,
        waitingFor,
        restarts,
        vertices,
        failures);
  }

  /** This one without what its operators run. */
  JobDetails withoutFunctions() {
    return new JobDetails(
        graph.withoutFunctions(),
        status,
        startedAt,
        endedAt,
        timestamps,
        slots,
        waitingFor,
        restarts,
        vertices,
        failures);
  }

  public JobId id() {
    return graph.id();
  }

  /** A vertex with its current attempts, in the order of the subtasks. */
  public record VertexDetails(VertexId id, List<SubtaskDetails> subtasks) {
    public VertexDetails {
      Objects.requireNonNull(id);
      subtasks = OrderedCopies.list(subtasks);
    }
  }

  /**
   * @param entered when the attempt entered each state; parallel to {@link TaskState#values()}, -1
   *     where it did not
   * @param counters what its worker said last
   * @param earlier what the worker said before that; both together tell how the task does now
   */
  public record SubtaskDetails(
      ExecutionId execution,
      int attempt,
      TaskState state,
      Optional<WorkerId> worker,
      long[] entered,
      Optional<TaskCounters> counters,
      Optional<TaskCounters> earlier) {
    public SubtaskDetails {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(state);
      Objects.requireNonNull(worker);
      entered = entered.clone();
      Objects.requireNonNull(counters);
      Objects.requireNonNull(earlier);
    }

    /** A subtask of which its worker has reported once at most. */
    public SubtaskDetails(
        ExecutionId execution,
        int attempt,
        TaskState state,
        Optional<WorkerId> worker,
        long[] entered,
        Optional<TaskCounters> counters) {
      this(execution, attempt, state, worker, entered, counters, Optional.empty());
    }
  }

  /**
   * @param task the task that failed, such as {@code Sink: print (2/4)}; empty for the job itself
   */
  public record RecordedFailure(Failure failure, long at, String task, Optional<WorkerId> worker) {
    public RecordedFailure {
      Objects.requireNonNull(failure);
      Objects.requireNonNull(task);
      Objects.requireNonNull(worker);
    }
  }
}
