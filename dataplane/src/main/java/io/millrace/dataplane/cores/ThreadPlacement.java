package io.millrace.dataplane.cores;

import java.util.Optional;

/**
 * On what kind of thread a task runs.
 *
 * @param since milliseconds of the epoch
 * @param why it is not simply on a core
 * @param frame the line of the program that it was in then, where that is the reason
 */
public record ThreadPlacement(Kind kind, long since, String why, Optional<String> frame) {
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

  static final ThreadPlacement CORE = new ThreadPlacement(Kind.CORE, -1, "", Optional.empty());

  static ThreadPlacement of(Kind kind, String why, Optional<String> frame) {
    return new ThreadPlacement(kind, System.currentTimeMillis(), why, frame);
  }

  /**
   * The reason for people. It is the first one, such as code that is loaded; what the task is in
   * later is told as well.
   *
   * @param now the line of the program that it is in, if it is in any
   */
  public String reason(Optional<String> now) {
    return why
        + frame.map(line -> " in " + line).orElse("")
        + now.filter(line -> frame.isPresent() && !frame.get().equals(line))
            .map(line -> "; it is in " + line + " now")
            .orElse("");
  }
}
