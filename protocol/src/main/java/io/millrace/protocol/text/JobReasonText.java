package io.millrace.protocol.text;

import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.Durations;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.protocol.reason.JobReason;
import io.millrace.protocol.reason.JobReason.CancelledByUser;
import io.millrace.protocol.reason.JobReason.ClientTimeout;
import io.millrace.protocol.reason.JobReason.CollectedRecordsRead;
import io.millrace.protocol.reason.JobReason.EndedUnderEarlierLeader;
import io.millrace.protocol.reason.JobReason.FailureUnexplained;
import io.millrace.protocol.reason.JobReason.GraphInvalid;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.JobReason.JobMasterStops;
import io.millrace.protocol.reason.JobReason.JobOver;
import io.millrace.protocol.reason.JobReason.JobRestarted;
import io.millrace.protocol.reason.JobReason.JobScheduled;
import io.millrace.protocol.reason.JobReason.LeadershipLost;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.protocol.reason.JobReason.SlotTakenBack;
import io.millrace.protocol.reason.JobReason.SlotsGone;
import io.millrace.protocol.reason.JobReason.TaskEndedUnasked;
import io.millrace.protocol.reason.JobReason.TaskNotEnded;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.JobReason.TasksMissing;
import io.millrace.protocol.reason.JobReason.WorkerConnectionLost;

/** The sentences of {@link JobReason}. */
final class JobReasonText {
  private JobReasonText() {}

  static String of(JobReason reason) {
    if (reason instanceof JobFailure failure) {
      return failure.message();
    } else if (reason instanceof RestartRefused refused) {
      // The message may be that of an exception of the program, which need not be a sentence.
      return ReasonText.closed(refused.message()) + " " + refusal(refused);
    } else if (reason instanceof JobScheduled) {
      return "The job is scheduled.";
    } else if (reason instanceof JobRestarted) {
      return "The job is scheduled again.";
    } else if (reason instanceof CancelledByUser) {
      return "The user cancelled the job.";
    } else if (reason instanceof LeadershipLost) {
      return "The JobMaster lost its leadership.";
    } else if (reason instanceof TasksEnded) {
      return "All tasks have ended.";
    } else if (reason instanceof JobMasterStops stops) {
      return "The JobMaster of term " + stops.term() + " stops.";
    } else if (reason instanceof JobOver over) {
      return "The job is " + over.status() + ".";
    } else if (reason instanceof EndedUnderEarlierLeader) {
      return "The job ended under an earlier leader.";
    } else if (reason instanceof ClientTimeout client) {
      return client(client);
    } else if (reason instanceof TasksMissing missing) {
      return "TaskManager "
          + missing.worker()
          + " no longer has "
          + Plural.of(missing.tasks(), "task")
          + " deployed to it.";
    } else if (reason instanceof SlotsGone gone) {
      return "TaskManager "
          + gone.worker()
          + " no longer has "
          + Plural.of(gone.slots(), "slot")
          + " of the job.";
    } else if (reason instanceof TaskEndedUnasked task) {
      return "Task " + task.task() + " was ended by its TaskManager without being cancelled.";
    } else if (reason instanceof FailureUnexplained) {
      return "The task failed, and its TaskManager reported no reason.";
    } else if (reason instanceof WorkerConnectionLost lost) {
      return "TaskManager " + lost.worker() + " is lost: " + ReasonText.of(lost.cause());
    } else if (reason instanceof SlotTakenBack slot) {
      return "TaskManager " + slot.worker() + " took a slot back: " + ReasonText.of(slot.cause());
    } else if (reason instanceof CollectedRecordsRead read) {
      return "The job would have to start again ("
          + ReasonText.of(read.failure())
          + "), but the client has already read some of its collected records and would get"
          + " them twice. Write them with a sink instead, or run the job again.";
    } else if (reason instanceof GraphInvalid invalid) {
      return "The graph of job " + invalid.job() + " " + fault(invalid) + ". Build it anew.";
    } else if (reason instanceof TaskNotEnded task) {
      return notEnded(task);
    } else if (reason instanceof JobEndReported) {
      return "The job has ended.";
    } else {
      throw new IllegalArgumentException("No text for " + reason.getClass());
    }
  }

  private static String notEnded(TaskNotEnded task) {
    return "Task "
        + task.task()
        + " of job "
        + task.job()
        + " did not end within "
        + Durations.readable(task.timeout())
        + (task.failed() ? " of its failure (" : " of its cancellation (")
        + TaskManagerOptions.TASK_CANCELLATION_TIMEOUT.key()
        + "). "
        + task.frame()
            .map(frame -> "It is in " + frame + ", which ignores interruption")
            .orElse("None of its code is running, which is a bug of Millrace")
        + ", so the TaskManager has to end.";
  }

  private static String fault(GraphInvalid invalid) {
    return switch (invalid.fault()) {
      case NO_VERTICES -> "has no vertices";
      case VERTEX_REPEATED -> "has vertex " + invalid.element() + " twice";
      case EDGE_NOT_FORWARD ->
          "has edge " + invalid.element() + " that does not lead from a vertex to a later one";
      case PARALLELISM_DIFFERS ->
          "has forward edge "
              + invalid.element()
              + " between parallelism "
              + invalid.sources()
              + " and "
              + invalid.targets();
    };
  }

  private static String client(ClientTimeout client) {
    String silence = Durations.readable(client.silence());
    return (client.heard()
            ? "Its client was last heard of " + silence + " ago"
            : "Nothing was heard of its client in the "
                + silence
                + " since this JobManager took the job")
        + "; "
        + ClientOptions.CLIENT_HEARTBEAT_TIMEOUT.key()
        + " is "
        + Durations.readable(client.timeout())
        + ", and the job ends with its client ("
        + DeploymentOptions.SHUTDOWN_IF_ATTACHED.key()
        + ").";
  }

  static String refusal(RestartRefused refused) {
    return "No restart: "
        + switch (refused.refusal()) {
          case RESULT_LOST -> "the job would look for the lost result in the same place again";
          case STATE_UNCLAIMED -> "the job would start with the same state again";
          case COMMIT_FAILED -> "the sink would commit the same output again";
          case NO_STRATEGY ->
              "the job has no restart strategy ("
                  + RestartStrategyOptions.RESTART_STRATEGY.key()
                  + "=fixed-delay would give it one)";
          case ATTEMPTS_USED ->
              Plural.all(refused.allowed(), "restart")
                  + " of "
                  + RestartStrategyOptions.FIXED_DELAY_ATTEMPTS.key()
                  + " "
                  + Plural.has(refused.allowed())
                  + " been used";
          case RATE_EXCEEDED ->
              "the job has already restarted "
                  + Plural.of(refused.allowed(), "time")
                  + " within "
                  + RestartStrategyOptions.FAILURE_RATE_INTERVAL.key()
                  + " ("
                  + RestartStrategyOptions.FAILURE_RATE_MAX_FAILURES.key()
                  + ")";
          case BACKOFF_ATTEMPTS_USED ->
              Plural.all(refused.allowed(), "restart")
                  + " of "
                  + RestartStrategyOptions.EXPONENTIAL_ATTEMPTS.key()
                  + " "
                  + Plural.has(refused.allowed())
                  + " been used";
        }
        + ".";
  }
}
