package io.millrace.dataplane;

/** An operator in a running chain. Downstream stages are called directly. */
abstract class StreamOperator {
  /** What an attempt to end a stage came to. */
  enum EndStatus {
    /** It has emitted everything. */
    DONE,
    /** It wants to go on in another step. */
    YIELDED,
    /** It waits for a wake. */
    WAITING
  }

  abstract void processElement(Object record);

  /**
   * These records are pushed next, in this order; where their state is large, looking for all of
   * them at once lets the memory answer at once.
   */
  void prefetch(Object[] records, int from, int to) {}

  /** Event time has reached this point; everything pushed before has been worked on. */
  void watermark(long watermark) {}

  /** Whether the input holds event time back. */
  void idle(boolean idle) {}

  /**
   * The input is complete: emits what is left. Called again after a break, so an implementation
   * remembers how far it came; it stops when an output is full.
   */
  EndStatus end() {
    return EndStatus.DONE;
  }

  /** Called once however the task ended, also if it was never fed. */
  void close() throws Exception {}
}
