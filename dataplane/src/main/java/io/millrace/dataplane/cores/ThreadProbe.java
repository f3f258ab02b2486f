package io.millrace.dataplane.cores;

/**
 * What can be told of a thread from outside. A seam: with its own, a test makes a machine that is
 * short of processors.
 */
interface ThreadProbe {
  /** How much of a processor's time the thread has had. */
  long cpuNanos();

  /** Whether it waits for something else than a processor. */
  boolean isAsleep();

  /** For how long it has waited for a processor; 0 where that is not known. */
  long starvedNanos();
}
