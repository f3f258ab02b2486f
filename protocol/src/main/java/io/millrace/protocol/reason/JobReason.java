package io.millrace.protocol.reason;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Why a job changes its status, or needs its slots no longer. */
public sealed interface JobReason extends Reason {
  /** Why a job does not restart. */
  enum RestartRefusal {
    /** It reads a result that is lost. */
    RESULT_LOST,
    /** It has no restart strategy. */
    NO_STRATEGY,
    /** It has used all its restarts. */
    ATTEMPTS_USED
  }

  /**
   * Something in the job failed.
   *
   * @param message the failure's own words
   */
  record JobFailure(ErrorKind kind, String message) implements JobReason {
    public JobFailure {
      Objects.requireNonNull(kind);
      Objects.requireNonNull(message);
    }
  }

  /**
   * Something in the job failed, and the job does not restart.
   *
   * @param message the failure's own words
   * @param allowed how many restarts the job may have
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

  /** The JobMaster is not the leader any more. */
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

  /** The job has ended, as another component says. */
  record JobEndReported() implements JobReason {}

  /**
   * Nothing was heard of the client, and the job ends with it.
   *
   * @param heard whether the client was ever heard of by this JobManager
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
   * @param failed whether the task has failed; else it was cancelled
   * @param frame the line of code that the task is in; nothing where none of its code runs
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

  /** A TaskManager does not have tasks any more that were deployed to it. */
  record TasksMissing(WorkerId worker, int tasks) implements JobReason {
    public TasksMissing {
      Objects.requireNonNull(worker);
    }
  }

  /** A TaskManager does not have slots of the job any more. */
  record SlotsGone(WorkerId worker, int slots) implements JobReason {
    public SlotsGone {
      Objects.requireNonNull(worker);
    }
  }

  /** A TaskManager has ended a task without being asked to. */
  record TaskEndedUnasked(String task) implements JobReason {
    public TaskEndedUnasked {
      Objects.requireNonNull(task);
    }
  }

  /** A task failed, and its TaskManager gave no reason. */
  record FailureUnexplained() implements JobReason {}

  /**
   * The job's graph cannot run.
   *
   * @param element the vertex or the edge with the fault; empty where there is none
   * @param sources the parallelism before a forward edge, 0 for other faults
   * @param targets the parallelism behind it
   */
  record GraphInvalid(JobId job, GraphFault fault, String element, int sources, int targets)
      implements JobReason {
    public GraphInvalid {
      Objects.requireNonNull(job);
      Objects.requireNonNull(fault);
      Objects.requireNonNull(element);
    }
  }

  /** What is wrong with a graph. */
  enum GraphFault {
    NO_VERTICES,
    VERTEX_REPEATED,
    /** An edge does not lead from a vertex to a later one. */
    EDGE_NOT_FORWARD,
    /** A forward edge is between vertices of different parallelism. */
    PARALLELISM_DIFFERS
  }
}
