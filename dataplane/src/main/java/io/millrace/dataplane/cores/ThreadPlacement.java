package io.millrace.dataplane.cores;

import java.util.Optional;

/**
 * The kind of thread that a task runs on.
 *
 * @param since milliseconds since the epoch
 * @param why the reason why the task is not on a core like others
 * @param frame the line of the program that caused it, if there is one
 */
public record ThreadPlacement(Kind kind, long since, String why, Optional<String> frame) {
  /** The kinds of threads. */
  public enum Kind {
    /** A core thread, which all tasks share. */
    CORE,
    /** The task's own thread. */
    OWN,
    /** A core thread, because the limit of own threads is reached. */
    DENIED,
    /** A core thread, which the task holds for long while no other task waits. */
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
   * The reason as text. It names the line that caused the placement and, if different, the current
   * line.
   *
   * @param now the current line of the program
   */
  public String reason(Optional<String> now) {
    return why
        + frame.map(line -> " in " + line).orElse("")
        + now.filter(line -> frame.isPresent() && !frame.get().equals(line))
            .map(line -> "; it is in " + line + " now")
            .orElse("");
  }
}
