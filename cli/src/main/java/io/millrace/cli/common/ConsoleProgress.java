package io.millrace.cli.common;

import io.millrace.client.Progress;

/** Tells a person on the terminal how far something is. */
public final class ConsoleProgress implements Progress {
  /** Set by the launcher where standard error is a terminal. */
  private static final String TERMINAL = "MILLRACE_TERMINAL";

  private final Console console;
  private final boolean terminal;

  /** Characters on the terminal that the next line has to take the place of. */
  private int update;

  public ConsoleProgress(Console console) {
    this.console = console;
    // What goes to a file should have no lines that were meant to vanish.
    this.terminal = console.environment().containsKey(TERMINAL);
  }

  @Override
  public synchronized void report(String line) {
    clear();
    console.err().println(SingleLine.of(line));
  }

  @Override
  public synchronized void update(String line) {
    if (terminal) {
      clear();
      String shown = SingleLine.of(line);
      String fitting = shown.substring(0, Math.min(shown.length(), console.width() - 1));
      console.err().print(fitting);
      console.err().flush();
      update = fitting.length();
    }
  }

  private void clear() {
    if (update > 0) {
      console.err().print("\r" + " ".repeat(update) + "\r");
      update = 0;
    }
  }
}
