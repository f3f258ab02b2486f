package io.millrace.rpc;

import io.millrace.core.log.LogContext;
import io.millrace.rpc.journal.Journal;
import java.util.random.RandomGenerator;

/**
 * The environment of an endpoint: clocks, randomness, threads and the journal. The control plane
 * uses no other source of these, so that a whole cluster can run in a simulator.
 */
public interface Env {
  /**
   * The wall clock in milliseconds since the epoch, for display. It may jump; do not measure
   * durations with it.
   */
  long wallMillis();

  /** A monotonic clock in nanoseconds. */
  long nanos();

  /**
   * A random generator per purpose, so that an additional draw for one purpose does not change the
   * values drawn for another.
   */
  RandomGenerator random(String purpose);

  /** A new mailbox. */
  Mailbox mailbox(String name);

  /** A new mailbox, whose tasks and blocking work log with these ids. */
  default Mailbox mailbox(String name, LogContext context) {
    return mailbox(name);
  }

  /** The executor for blocking work. */
  IoExecutor io();

  Journal journal();
}
