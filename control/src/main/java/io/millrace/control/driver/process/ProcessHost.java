package io.millrace.control.driver.process;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntConsumer;

/**
 * The machine on which the processes of workers run, and what is kept of them there. A process
 * boundary and a simulation seam. All methods may block and are called from the supervisor's loop.
 */
public interface ProcessHost {
  /** Keeps every other supervisor away from the workers that are kept here, until released. */
  void acquire();

  void release();

  /** The workers of earlier attempts that live; of those that do not, nothing is kept any more. */
  List<Found> find() throws IOException;

  /** Keeps what the worker needs before its process can run. */
  Prepared prepare(WorkerId worker, WorkerSpec spec) throws IOException;

  /** Removes what a dead worker leaves, but for its logs. */
  void remove(WorkerId worker) throws IOException;

  void removeLogs(WorkerId worker) throws IOException;

  /** Removes all that is kept here, when no worker is left. */
  void removeAll() throws IOException;

  /**
   * How a process ended, as a sentence's end.
   *
   * @param code not known of a process that an earlier supervisor started
   */
  String describeExit(WorkerId worker, OptionalInt code) throws IOException;

  /** Whether a process ended by itself and not well, as those do that cannot start. */
  boolean isFailure(OptionalInt code);

  /** A worker that lives. */
  record Found(WorkerId worker, Optional<WorkerSpec> spec, WorkerProcess process) {
    public Found {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(spec);
      Objects.requireNonNull(process);
    }
  }

  /** A worker that has all it needs but its process. */
  @FunctionalInterface
  interface Prepared {
    /**
     * @param exit told the exit code of the process, from any thread
     */
    WorkerProcess start(IntConsumer exit) throws IOException;
  }

  /** A process that was started or found. */
  interface WorkerProcess {
    /** Whether its end is told; that of one which an earlier supervisor started is not. */
    boolean tellsItsExit();

    boolean isAlive();

    /** Asks it to end. */
    void terminate();

    /** Ends it. */
    void kill();
  }
}
