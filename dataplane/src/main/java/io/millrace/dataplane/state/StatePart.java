package io.millrace.dataplane.state;

/**
 * A keyed state, or a part of one, at the moment of a snapshot: a {@link TablePart} on the heap or
 * a {@link StoredPart} of a store. An I/O thread reads it while the task goes on; nothing that it
 * returns changes any more.
 */
public interface StatePart {
  StateInfo info();

  /** Ends the protection of the state, in the task's step. */
  void release();
}
