package io.millrace.dataplane.cores;

/**
 * Measures a thread from outside. An interface, so that a test can simulate a machine without free
 * processors.
 */
interface ThreadProbe {
  /** The CPU time of the thread. */
  long cpuNanos();

  /** Whether the thread waits for something other than a processor. */
  boolean isAsleep();

  /** The time that the thread has waited for a processor; 0 if unknown. */
  long starvedNanos();
}
