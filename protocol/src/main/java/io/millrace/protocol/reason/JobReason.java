package io.millrace.protocol.reason;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Why a job changes its status, or no longer needs its slots. */
public sealed interface JobReason extends Reason {
  /** Why a job does not restart. */
  enum RestartRefusal {
    /** It reads a cached data set that is lost. */
    RESULT_LOST,
    /** It starts with state that an operator does not use. */
    STATE_UNCLAIMED,
    /** A restart commits the same output, which can never be committed. */
    COMMIT_FAILED,
    /** It has no restart strategy. */
    NO_STRATEGY,
    /** It has used all its restarts. */
    ATTEMPTS_USED,
    /** It has used all its restarts of the interval. */
    RATE_EXCEEDED,
    /** It has used all its restarts since the delay was reset. */
    BACKOFF_ATTEMPTS_USED
  }

  /**
   * A task or the job failed.
   *
   * @param message the message of the failure
   */
  record JobFailure(ErrorKind kind, String message) implements JobReason {
    public JobFailure {
      Objects.requireNonNull(kind);
      Objects.requireNonNull(message);
    }
  }

  /**
   * A task or the job failed, and the job does not restart.
   *
   * @param message the message of the failure
   * @param allowed the number of allowed restarts
   */
  record RestartRefused(String message, RestartRefusal refusal, int allowed) implements JobReason {
    public RestartRefused {
      Objects.requireNonNull(message);
      Objects.requireNonNull(refusal);
    }
  }

  /** The job waits for its slots. */
  record JobScheduled() implements JobReason {}

  /** All stopped regions are scheduled again. */
  record JobRestarted() implements JobReason {}

  /** The user cancelled the job. */
  record CancelledByUser() implements JobReason {}

  /** The JobMaster is no longer the leader. */
  record LeadershipLost() implements JobReason {}

  /** All tasks have ended. */
  record TasksEnded() implements JobReason {}

  /** The JobMaster stops, and another one may continue the job. */
  record JobMasterStops(long term) implements JobReason {}

  /** The job has ended. */
  record JobOver(JobStatus status) implements JobReason {
    public JobOver {
      Objects.requireNonNull(status);
    }
  }

  /** The job ended under an earlier leader. */
  record EndedUnderEarlierLeader() implements JobReason {}

  /** Another component reports that the job has ended. */
  record JobEndReported() implements JobReason {}

  /**
   * No heartbeats of the client arrived, and the job ends with its client.
   *
   * @param heard whether this JobManager has received any heartbeat of the client
   */
  record ClientTimeout(boolean heard, Duration silence, Duration timeout) implements JobReason {
    public ClientTimeout {
      Objects.requireNonNull(silence);
      Objects.requireNonNull(timeout);
    }
  }

  /**
   * A task did not end after its cancellation or its failure, and its TaskManager has to end.
   *
   * @param failed whether the task has failed; otherwise it was cancelled
   * @param frame the stack frame that the task is in; empty if none of its code runs
   */
  record TaskNotEnded(
      String task, JobId job, Duration timeout, boolean failed, Optional<String> frame)
      implements JobReason {
    public TaskNotEnded {
      Objects.requireNonNull(task);
      Objects.requireNonNull(job);
      Objects.requireNonNull(timeout);
      Objects.requireNonNull(frame);
    }
  }

  /** A TaskManager no longer has tasks that were deployed to it. */
  record TasksMissing(WorkerId worker, int tasks) implements JobReason {
    public TasksMissing {
      Objects.requireNonNull(worker);
    }
  }

  /** A TaskManager no longer has slots of the job. */
  record SlotsGone(WorkerId worker, int slots) implements JobReason {
    public SlotsGone {
      Objects.requireNonNull(worker);
    }
  }

  /** A TaskManager has ended a task that was not cancelled. */
  record TaskEndedUnasked(String task) implements JobReason {
    public TaskEndedUnasked {
      Objects.requireNonNull(task);
    }
  }

  /** A task failed, and its TaskManager reported no failure. */
  record FailureUnexplained() implements JobReason {}

  /** The job has lost a TaskManager. */
  record WorkerConnectionLost(WorkerId worker, Reason cause) implements JobReason {
    public WorkerConnectionLost {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(cause);
    }
  }

  /** A TaskManager has taken a slot of the job back. */
  record SlotTakenBack(WorkerId worker, Reason cause) implements JobReason {
    public SlotTakenBack {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(cause);
    }
  }

  /**
   * The job cannot restart, because the client has read collected records of the failed attempt.
   */
  record CollectedRecordsRead(Reason failure) implements JobReason {
    public CollectedRecordsRead {
      Objects.requireNonNull(failure);
    }
  }

  /**
   * The graph of the job cannot run.
   *
   * @param element the vertex or the edge with the fault; empty if there is none
   * @param sources the parallelism before a forward edge, 0 for other faults
   * @param targets the parallelism after it
   */
  record GraphInvalid(JobId job, GraphFault fault, String element, int sources, int targets)
      implements JobReason {
    public GraphInvalid {
      Objects.requireNonNull(job);
      Objects.requireNonNull(fault);
      Objects.requireNonNull(element);
    }
  }

  /** The fault of a graph. */
  enum GraphFault {
    NO_VERTICES,
    VERTEX_REPEATED,
    /** An edge does not lead from a vertex to a later one. */
    EDGE_NOT_FORWARD,
    /** A forward edge is between vertices of different parallelism. */
    PARALLELISM_DIFFERS
  }
}
