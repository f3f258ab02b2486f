package io.millrace.task;

import java.util.Objects;

/**
 * The thread of a task that does not simply share the core threads with the others of its host.
 *
 * @param since milliseconds since the epoch at its host
 * @param reason what it did, to follow its name in a sentence
 * @param ownThreads how many tasks of the host, of any job, have threads of their own now
 * @param mostOwnThreads how many of them may because they hold core threads for long
 */
public record TaskThread(Kind kind, long since, String reason, int ownThreads, int mostOwnThreads) {
  /** What it runs on. */
  public enum Kind {
    /** A thread of its own. */
    OWN,
    /** A core thread that others wait for, because too many tasks have threads of their own. */
    DENIED,
    /** A core thread, for long, that nobody else waits for. */
    CORE
  }

  public TaskThread {
    Objects.requireNonNull(kind);
    Objects.requireNonNull(reason);
  }
}
