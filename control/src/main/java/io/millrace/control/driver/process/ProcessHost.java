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
 * The machine on which the processes of workers run, with their files. A process boundary and a
 * simulation seam. All methods may block and are called in the loop of the supervisor.
 */
public interface ProcessHost {
  /** Gets exclusive access to the workers of this directory, until {@link #release}. */
  void acquire();

  void release();

  /** Returns the running workers of earlier attempts and removes the files of ended ones. */
  List<Found> find() throws IOException;

  /** Writes the files that the process of the worker needs. */
  Prepared prepare(WorkerId worker, WorkerSpec spec) throws IOException;

  /** Removes the files of an ended worker except its logs. */
  void remove(WorkerId worker) throws IOException;

  void removeLogs(WorkerId worker) throws IOException;

  /** Removes all files. No worker may be running. */
  void removeAll() throws IOException;

  /**
   * Describes the end of a process as the predicate of a sentence.
   *
   * @param code the exit code; empty for a process that an earlier supervisor started
   */
  String describeExit(WorkerId worker, OptionalInt code) throws IOException;

  /** Whether the exit code means that the process failed by itself. */
  boolean isFailure(OptionalInt code);

  /** A running worker of an earlier attempt. */
  record Found(WorkerId worker, Optional<WorkerSpec> spec, WorkerProcess process) {
    public Found {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(spec);
      Objects.requireNonNull(process);
    }
  }

  /** A worker whose files are written and whose process is not started. */
  @FunctionalInterface
  interface Prepared {
    /**
     * @param exit called with the exit code of the process, from any thread
     */
    WorkerProcess start(IntConsumer exit) throws IOException;
  }

  /** A started or found process. */
  interface WorkerProcess {
    /** Whether its exit is reported; not for a process that an earlier supervisor started. */
    boolean tellsItsExit();

    boolean isAlive();

    /** Asks the process to end (SIGTERM). */
    void terminate();

    /** Ends the process at once (SIGKILL). */
    void kill();
  }
}
