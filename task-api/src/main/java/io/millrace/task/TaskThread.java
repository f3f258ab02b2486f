package io.millrace.task;

import java.util.Objects;

/**
 * The thread of a task that does not share the core threads like other tasks.
 *
 * @param since milliseconds since the epoch, by the clock of its host
 * @param reason continues a sentence that begins with the name of the task
 * @param ownThreads the number of tasks on the host, of any job, with own threads
 * @param mostOwnThreads the maximum of own threads because of long steps
 */
public record TaskThread(Kind kind, long since, String reason, int ownThreads, int mostOwnThreads) {
  /** The kind of thread. */
  public enum Kind {
    /** The task's own thread. */
    OWN,
    /** A core thread, because the limit of own threads is reached. */
    DENIED,
    /** A core thread that the task holds for long while no other task waits. */
    CORE
  }

  public TaskThread {
    Objects.requireNonNull(kind);
    Objects.requireNonNull(reason);
  }
}
