package io.millrace.client;

/** Receives reports about the progress of a long operation, to show them to the user. */
public interface Progress {
  /** Discards all reports. */
  Progress SILENT = line -> {};

  /** Shows a line permanently. */
  void report(String line);

  /** Shows the current state; the next line replaces it. */
  default void update(String line) {}
}
