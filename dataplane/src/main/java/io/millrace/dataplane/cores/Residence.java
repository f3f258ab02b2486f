package io.millrace.dataplane.cores;

/**
 * On what kind of thread a task runs.
 *
 * @param since milliseconds of the epoch
 * @param why it is not simply on a core
 */
public record Residence(Kind kind, long since, String why) {
  /** The kinds of threads. */
  public enum Kind {
    /** One of the threads that all tasks share. */
    CORE,
    /** One that no other task runs on. */
    OWN,
    /** A shared one, although it should have its own: there are no more. */
    DENIED,
    /** A shared one, which it holds for long while no other task waits for it. */
    HOLDING
  }

  boolean isOnCore() {
    return kind == Kind.CORE || kind == Kind.HOLDING;
  }

  static final Residence CORE = new Residence(Kind.CORE, -1, "");

  static Residence own(String why) {
    return new Residence(Kind.OWN, System.currentTimeMillis(), why);
  }

  static Residence holding(String why) {
    return new Residence(Kind.HOLDING, System.currentTimeMillis(), why);
  }

  static Residence denied(String why) {
    return new Residence(Kind.DENIED, System.currentTimeMillis(), why);
  }
}
