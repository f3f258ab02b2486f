package io.millrace.graph.task;

import java.util.Objects;

/**
 * The thread of a task that cannot simply share the core threads with the others of its host.
 *
 * @param own whether it has a thread of its own; if not, it should, but too many have
 * @param since milliseconds since the epoch at its host
 * @param reason what it did, to follow its name in a sentence
 * @param ownThreads how many tasks of the host, of any job, have threads of their own now
 * @param mostOwnThreads how many of them may because they hold core threads for long
 */
public record TaskThread(
    boolean own, long since, String reason, int ownThreads, int mostOwnThreads) {
  public TaskThread {
    Objects.requireNonNull(reason);
  }
}
