package io.millrace.sim.scenario;

import io.millrace.sim.SimDriver;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTokens;
import java.time.Duration;

/** Something bad that happens at a time, mostly for a while. */
public sealed interface Fault {
  Duration at();

  /** One word for the kind, as the counts of effective faults have it. */
  default String kind() {
    return getClass().getSimpleName();
  }

  /** A process is killed and started again later, where nobody else does it before. */
  record Crash(Duration at, String process, Duration down) implements Fault {}

  /** A JobManager is killed in the middle of its next change of the store. */
  record CrashAtWrite(Duration at, String process, boolean before, Duration down)
      implements Fault {}

  /** Nothing of a process runs for a while, as in a long collection of garbage. */
  record Freeze(Duration at, String process, Duration time) implements Fault {}

  /** A wall clock is set ahead or back. */
  record ClockJump(Duration at, String process, Duration by) implements Fault {}

  /** Messages do not get from one process to another, and back neither, unless it is one-way. */
  record Partition(Duration at, String from, String to, boolean oneWay, Duration time)
      implements Fault {}

  /** A process is cut off from all others. */
  record Isolate(Duration at, String process, Duration time) implements Fault {}

  /** The connection between two processes breaks. */
  record Break(Duration at, String one, String other) implements Fault {}

  /** Each message breaks its connection with a certain probability. */
  record Flaky(Duration at, double probability, Duration time) implements Fault {}

  /** Calls arrive twice with a certain probability. */
  record Echo(Duration at, double probability, Duration time) implements Fault {}

  /**
   * Calls that expect an answer, and answers, are lost with a certain probability while their
   * connections live.
   */
  record Loss(Duration at, double probability, Duration time) implements Fault {}

  /** What goes to or from a process takes longer. */
  record Slow(Duration at, String process, Duration longer, Duration time) implements Fault {}

  /** A JobManager's storage is in trouble. */
  record Storage(Duration at, String process, SimStore.Trouble trouble, Duration time)
      implements Fault {}

  /** A JobManager's storage takes long. */
  record SlowStorage(Duration at, String process, Duration longer, Duration time)
      implements Fault {}

  /** A JobManager loses its session at the coordinator and hears of it later. */
  record SessionLoss(Duration at, String process, Duration unnoticed) implements Fault {}

  /** News of leaders take long. */
  record LaggingNews(Duration at, Duration longest, Duration time) implements Fault {}

  /** The service that gives delegation tokens is in trouble. */
  record NoTokens(Duration at, SimTokens.Trouble trouble, Duration time) implements Fault {}

  /** The driver behaves badly. */
  record BadDriver(Duration at, SimDriver.Mood mood, Duration time) implements Fault {}

  /** The process of a started worker ends; which one is counted off among the living. */
  record LoseStarted(Duration at, int which) implements Fault {}

  /** The driver takes the node of a started worker for lost, and the process there goes on. */
  record LoseNode(Duration at, int which) implements Fault {}

  /**
   * The connection between two processes breaks, one connects anew and the other hears of the end
   * of the old connection only later.
   *
   * @param endsNew whether the new connection ends with that
   */
  record HalfOpen(Duration at, String unaware, String aware, Duration unnoticed, boolean endsNew)
      implements Fault {}

  /**
   * A process is lost with its machine and comes back under the same address, before or after the
   * others hear that it was gone.
   */
  record ComesBack(Duration at, String process, Duration down, Duration unnoticed)
      implements Fault {}

  /** A worker has to go, or seems to, in the moment in which a slot is asked of it. */
  record PendingSlot(Duration at, Way way, Duration time) implements Fault {
    /** How it goes. */
    public enum Way {
      /** Its process ends. */
      KILLED,
      /** Its driver takes it for gone. */
      COUNTED_OUT,
      /** It cannot be reached for a while, and the job that wanted the slot is cancelled. */
      UNWANTED
    }
  }

  /**
   * A JobManager loses its session in the moment in which it has something to store, and goes on to
   * store that while another one begins.
   *
   * @param longer how much longer its storage takes until it hears of it
   */
  record StaleWrite(Duration at, Moment moment, Duration unnoticed, Duration longer)
      implements Fault {
    /** What it is about to store. */
    public enum Moment {
      /** That a job has ended. */
      END,
      /** A job that was submitted. */
      SUBMISSION,
      /** That a job is to be cancelled. */
      CANCELLATION,
      /** How many workers there may be. */
      LIMIT
    }
  }

  /**
   * Something goes wrong in the moment in which one process sends a certain call to another.
   *
   * @param time how long that lasts, or how much later something happens
   */
  record AtCall(Duration at, Call call, Trouble trouble, Duration time) implements Fault {
    /** Whether only the deadline of the call tells that something went wrong. */
    public boolean isLoss() {
      return trouble == Trouble.UNHEARD || trouble == Trouble.UNANSWERED;
    }

    /** Whether nothing breaks, and nobody has to act as if something had. */
    public boolean isHarmless() {
      return trouble == Trouble.REPEATED;
    }

    /** What is sent. */
    public enum Call {
      /** A ResourceManager asks a worker for a slot. */
      SLOT_REQUEST,
      /** A worker offers slots to a JobMaster. */
      OFFER,
      /** A worker reports its slots to the ResourceManager at which it has registered. */
      SLOT_REPORT,
      /** A JobMaster declares what its job needs. */
      DECLARATION,
      /** A JobMaster deploys tasks. */
      DEPLOYMENT,
      /** A JobMaster cancels tasks. */
      CANCELLATION,
      /** A worker says what became of tasks. */
      TASK_UPDATE,
      /** A JobMaster returns a slot. */
      SLOT_RETURN,
      /** A JobMaster or a ResourceManager says that a job has ended. */
      JOB_END,
      /** A ResourceManager has results deleted. */
      RESULT_RELEASE
    }

    /** What goes wrong. */
    public enum Trouble {
      /** The call arrives a second time when the time is over. */
      REPEATED,
      /** The call is lost while its connection lives. */
      UNHEARD,
      /** So is the answer to it. */
      UNANSWERED,
      /** The connection breaks, and with it the call is lost. */
      LOST,
      /** So it does, and its receiver hears of that only when the time is over. */
      HALF_OPEN,
      /**
       * The process of the sender ends with its machine and starts again at once. The receiver
       * reads the call before it hears of that, which takes up to the time.
       */
      SENDER_RESTARTS,
      /**
       * The sender loses its session and does not hear of it for the time, in which nothing of what
       * it says gets to the receiver and its storage is slow.
       */
      SENDER_REPLACED,
      /** The process of the receiver ends, and starts again when the time is over. */
      RECEIVER_ENDS
    }
  }

  /** From then on the storage of each worker is slow in the moment in which a job leaves it. */
  record SlowRemoval(Duration at, Duration longer) implements Fault {}

  /**
   * A started worker ends after the driver has told the next ResourceManager of it, and before that
   * begins, since its storage is slow.
   */
  record LoseBeforeStart(Duration at, int which, Duration longer) implements Fault {}

  /** Heartbeats that go to or from a process, and the answers to them, take longer than calls. */
  record SlowHeartbeats(Duration at, String process, Duration longer, Duration time)
      implements Fault {}

  /** A blob is lost, or has another content, until somebody puts a copy back. */
  record DamagedBlob(Duration at, int which, boolean lost, Duration time) implements Fault {}

  /**
   * A JobManager is killed between two operations on its disk.
   *
   * @param changes how many more it does before
   * @param power whether its machine loses its power, and with that what was not forced to the disk
   */
  record CrashAtDisk(Duration at, String process, int changes, boolean power, Duration down)
      implements Fault {}

  /** A JobManager is killed right before or right after it starts the process of a worker. */
  record CrashAtStart(Duration at, String process, boolean before, Duration down)
      implements Fault {}
}
