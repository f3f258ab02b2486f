package io.millrace.cli.common;

import io.millrace.client.Progress;

/** Prints progress to standard error. */
public final class ConsoleProgress implements Progress {
  /** The launcher sets this variable if standard error is a terminal. */
  private static final String TERMINAL = "MILLRACE_TERMINAL";

  private final Console console;
  private final boolean terminal;

  /** The length of the current line, which the next line overwrites. */
  private int update;

  public ConsoleProgress(Console console) {
    this.console = console;
    // A file would keep lines that are meant to be overwritten.
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
