package io.millrace.sim.scenario;

import io.millrace.sim.SimDriver;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTokens;
import java.time.Duration;

/** A fault at a certain time, mostly with a duration. */
public sealed interface Fault {
  Duration at();

  /** The kind in one word, for the counts of effective faults. */
  default String kind() {
    return getClass().getSimpleName();
  }

  /** A process is killed and started again later, unless it was started before. */
  record Crash(Duration at, String process, Duration down) implements Fault {}

  /** A JobManager is killed right before or right after its next change of the store. */
  record CrashAtWrite(Duration at, String process, boolean before, Duration down)
      implements Fault {}

  /** A process does not run for a while, as in a long garbage collection. */
  record Freeze(Duration at, String process, Duration time) implements Fault {}

  /** A wall clock is set ahead or back. */
  record ClockJump(Duration at, String process, Duration by) implements Fault {}

  /** Messages do not pass between two processes, or in one direction only. */
  record Partition(Duration at, String from, String to, boolean oneWay, Duration time)
      implements Fault {}

  /** A process is cut off from all others. */
  record Isolate(Duration at, String process, Duration time) implements Fault {}

  /** The connection between two processes breaks. */
  record ConnectionBreak(Duration at, String one, String other) implements Fault {}

  /** Each message breaks its connection with a certain probability. */
  record FlakyConnections(Duration at, double probability, Duration time) implements Fault {}

  /** Calls arrive twice with a certain probability. */
  record DuplicateCalls(Duration at, double probability, Duration time) implements Fault {}

  /**
   * Calls that expect an answer, and answers, are lost with a certain probability while their
   * connections live.
   */
  record MessageLoss(Duration at, double probability, Duration time) implements Fault {}

  /** Messages to and from a process take longer. */
  record NetworkDelay(Duration at, String process, Duration longer, Duration time)
      implements Fault {}

  /** The storage of a JobManager fails. */
  record StorageFailure(Duration at, String process, SimStore.FailureMode mode, Duration time)
      implements Fault {}

  /** The storage of a JobManager is slow. */
  record SlowStorage(Duration at, String process, Duration longer, Duration time)
      implements Fault {}

  /** A JobManager loses its session at the coordinator and notices it later. */
  record SessionLoss(Duration at, String process, Duration unnoticed) implements Fault {}

  /** A process cannot reach the servers of the coordinator for a while. */
  record CoordinatorLoss(Duration at, String process, Duration time) implements Fault {}

  /**
   * The connections of other JobManagers to this one break and its port refuses new ones, although
   * its process lives, as behind a firewall that rejects.
   */
  record RefusedConnections(Duration at, String process, Duration time) implements Fault {}

  /** Notices about leaders arrive late. */
  record LeaderNotificationDelay(Duration at, Duration longest, Duration time) implements Fault {}

  /** The service that issues delegation tokens fails. */
  record TokenServiceFailure(Duration at, SimTokens.FailureMode mode, Duration time)
      implements Fault {}

  /** The driver behaves badly. */
  record DriverFailure(Duration at, SimDriver.FailureRates rates, Duration time) implements Fault {}

  /** The process of a started worker ends; the number selects one of the living workers. */
  record WorkerCrash(Duration at, int which) implements Fault {}

  /**
   * The driver announces that a started worker will be taken away, and takes it away soon after the
   * announced time.
   *
   * @param time the announced time
   */
  record WorkerDraining(Duration at, int which, Duration time) implements Fault {}

  /** The driver reports the node of a started worker as lost, and its process still runs. */
  record NodeLoss(Duration at, int which) implements Fault {}

  /**
   * The connection between two processes breaks. One side connects again, and the other side
   * notices the end of the old connection only later.
   *
   * @param endsNew whether the new connection ends, too, when the other side notices
   */
  record HalfOpen(Duration at, String unaware, String aware, Duration unnoticed, boolean endsNew)
      implements Fault {}

  /**
   * A process is lost with its machine and starts again under the same address, before or after the
   * others notice the loss.
   */
  record MachineRestart(Duration at, String process, Duration down, Duration unnoticed)
      implements Fault {}

  /** A worker is lost at the moment at which a slot is requested of it. */
  record WorkerLostAtSlotRequest(Duration at, Cause cause, Duration time) implements Fault {
    /** How the worker is lost. */
    public enum Cause {
      /** Its process ends. */
      KILLED,
      /** Its driver reports it as ended. */
      REPORTED_AS_ENDED,
      /** It is partitioned for a while, and the job that needs the slot is cancelled. */
      PARTITIONED
    }
  }

  /**
   * A JobManager loses its session at the moment at which it has to store something, and stores it
   * while its successor starts.
   *
   * @param longer the delay of its storage until it notices
   */
  record StaleWrite(Duration at, Moment moment, Duration unnoticed, Duration longer)
      implements Fault {
    /** What the JobManager is about to store. */
    public enum Moment {
      /** The end of a job. */
      END,
      /** A submitted job. */
      SUBMISSION,
      /** The cancellation of a job. */
      CANCELLATION,
      /** The limit of workers. */
      LIMIT,
      /** A checkpoint for which all tasks have stored their state. */
      CHECKPOINT
    }
  }

  /**
   * A fault at the moment at which a process sends a certain call.
   *
   * @param time how long the fault lasts, or the delay of its effect
   */
  record CallFault(Duration at, Call call, Effect effect, Duration time) implements Fault {
    /** Whether only the deadline of the call reveals the fault. */
    public boolean isLoss() {
      return effect == Effect.CALL_LOST || effect == Effect.ANSWER_LOST;
    }

    /** Whether nothing is lost, so that no component may react. */
    public boolean isHarmless() {
      return effect == Effect.DUPLICATED;
    }

    /** The kind of the call. */
    public enum Call {
      /** A ResourceManager requests a slot of a worker. */
      SLOT_REQUEST,
      /** A worker offers slots to a JobMaster. */
      OFFER,
      /** A worker reports its slots to the ResourceManager at which it has registered. */
      SLOT_REPORT,
      /** A JobMaster declares the requirement of its job. */
      DECLARATION,
      /** A JobMaster deploys tasks. */
      DEPLOYMENT,
      /** A JobMaster cancels tasks. */
      CANCELLATION,
      /** A worker reports states of tasks. */
      TASK_UPDATE,
      /** A JobMaster returns a slot. */
      SLOT_RETURN,
      /** A JobMaster or a ResourceManager reports the end of a job. */
      JOB_END,
      /** A JobMaster reports the end of its job to the ResourceManager. */
      JOB_END_REPORT,
      /** A ResourceManager releases cluster partitions. */
      RESULT_RELEASE,
      /** A JobMaster notifies a worker of the outcome of a checkpoint. */
      CHECKPOINT_OUTCOME,
      /** A JobMaster notifies a worker of the outcome of a savepoint that stops the job. */
      STOP_OUTCOME,
      /** A worker reports the snapshots of its tasks for a savepoint that stops the job. */
      STOP_SNAPSHOTS
    }

    /** The kind of the fault. */
    public enum Effect {
      /** The call arrives a second time after the delay. */
      DUPLICATED,
      /** The call is lost while its connection lives. */
      CALL_LOST,
      /** The answer is lost while its connection lives. */
      ANSWER_LOST,
      /** The connection breaks, and the call is lost with it. */
      CONNECTION_LOST,
      /** The connection breaks, and the receiver notices it only after the delay. */
      HALF_OPEN,
      /**
       * The process of the sender ends with its machine and starts again at once. The receiver
       * reads the call before it notices that, within the time.
       */
      SENDER_RESTARTS,
      /**
       * The sender loses its session and does not notice for the time. During that time its
       * messages do not reach the receiver and its storage is slow.
       */
      SENDER_REPLACED,
      /** The process of the receiver ends and starts again after the delay. */
      RECEIVER_ENDS
    }
  }

  /**
   * A client submits a job when the result of another one is stored whose jars it shares, so that
   * the clean-up of that one and the submission meet.
   *
   * @param job the index of the job
   * @param delay the time between the result and the submission
   * @param unclear whether the write of the submitted job reports a failure after it is done
   */
  record SubmissionAtCleanUp(Duration at, int job, Duration delay, boolean unclear)
      implements Fault {}

  /** From then on the storage of a worker is slow when it removes the blobs of a job. */
  record SlowBlobRemoval(Duration at, Duration longer) implements Fault {}

  /**
   * A started worker ends after the driver has listed it to the next ResourceManager and before
   * that ResourceManager starts, because its storage is slow.
   */
  record WorkerCrashDuringRecovery(Duration at, int which, Duration longer) implements Fault {}

  /** Heartbeats to and from a process, and their answers, take longer than calls. */
  record SlowHeartbeats(Duration at, String process, Duration longer, Duration time)
      implements Fault {}

  /** A blob is lost or damaged until a copy is put back. */
  record DamagedBlob(Duration at, int which, boolean lost, Duration time) implements Fault {}

  /**
   * The newest of several retained checkpoints is damaged, and a process ends, so that tasks have
   * to be restored.
   *
   * @param which an index, taken modulo the number of jobs with several checkpoints
   * @param file whether a file of state is damaged, if there is one, and not the metadata
   */
  record DamagedCheckpoint(Duration at, int which, boolean file, String process, Duration down)
      implements Fault {}

  /**
   * A task of a job fails at the moment at which its JobMaster begins to store a checkpoint. The
   * storage is slow, so that tasks may be restarted from the checkpoint before while the other one
   * completes, and the worker of the task gets and sends messages slowly.
   *
   * @param job the index of the job
   * @param damages whether a file of the checkpoint before is damaged, if there is another one
   * @param longer the delay of the storage and of the messages
   */
  record RestartDuringCheckpoint(Duration at, int job, boolean damages, Duration longer)
      implements Fault {}

  /**
   * A JobManager is killed between two operations on its disk.
   *
   * @param changes how many more operations it completes before
   * @param power whether the machine loses power and with it what was not forced to the disk
   */
  record CrashAtDisk(Duration at, String process, int changes, boolean power, Duration down)
      implements Fault {}

  /** A JobManager is killed right before or right after it starts the process of a worker. */
  record CrashAtStart(Duration at, String process, boolean before, Duration down)
      implements Fault {}
}
