package io.millrace.rpc;

import io.millrace.rpc.journal.Journal;
import java.util.random.RandomGenerator;

/**
 * The world as an endpoint sees it: time, chance, threads and the journal. Nothing of the control
 * plane reaches for these in any other way, which is what lets a whole cluster run in a simulator.
 */
public interface Env {
  /** Milliseconds since the epoch, for people to read. It may jump; do not measure with it. */
  long wallMillis();

  /** Nanoseconds since some fixed moment; it only grows. */
  long nanos();

  /** A generator of its own for each purpose, so that one more draw here changes nothing there. */
  RandomGenerator random(String purpose);

  /** A new mailbox; what runs in it runs one after the other. */
  Mailbox mailbox(String name);

  /** Where blocking work goes. */
  IoExecutor io();

  Journal journal();
}
