package io.millrace.sim;

import java.util.function.Supplier;

/** The disk of a store, into which faults can be injected. */
public interface FaultyDisk {
  /** Sets the current fault. */
  void trouble(SimStore.Trouble now);

  /** Reads the stored data without the faults of the disk and the process. */
  <T> T quietly(Supplier<T> reading);
}
