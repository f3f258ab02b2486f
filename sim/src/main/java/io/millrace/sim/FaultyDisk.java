package io.millrace.sim;

import java.util.function.Supplier;

/** The disk of a store, into which faults can be injected. */
public interface FaultyDisk {
  /** Sets the current fault. */
  void failureMode(SimStore.FailureMode now);

  /** Reads the stored data without the faults of the disk and the process. */
  <T> T quietly(Supplier<T> reading);
}
