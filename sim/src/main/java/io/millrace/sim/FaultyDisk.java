package io.millrace.sim;

import java.util.function.Supplier;

/** The disk under a store, as far as the simulated world injects faults into it. */
public interface FaultyDisk {
  void trouble(SimStore.Trouble now);

  /** Reads what is there, whatever fault the disk or the process has. */
  <T> T quietly(Supplier<T> reading);
}
