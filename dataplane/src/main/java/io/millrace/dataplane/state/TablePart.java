package io.millrace.dataplane.state;

/** A state on the heap, whose keys have slots. */
public interface TablePart extends StatePart {
  FrozenKeys keys();

  /** Passes on the entries of a slot with a key; none if the key has nothing in this state. */
  void entries(int slot, EntryConsumer out);

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
