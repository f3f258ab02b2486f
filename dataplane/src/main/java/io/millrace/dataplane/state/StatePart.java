package io.millrace.dataplane.state;

/**
 * A keyed state, or a part of one, at the moment of a snapshot. An I/O thread reads it while the
 * task goes on; nothing that it returns changes any more.
 */
public interface StatePart {
  StateInfo info();

  FrozenKeys keys();

  /** Passes on the entries of a slot with a key; none if the key has nothing in this state. */
  void entries(int slot, EntryConsumer out);

  /** Ends the protection of the state, in the task's step. */
  void release();

  /** Receives the entries of a key. */
  @FunctionalInterface
  interface EntryConsumer {
    /**
     * @param start the start of the window, or the time of the last update; 0 for a state with
     *     neither, like the end
     */
    void accept(long start, long end, Object value);
  }
}
