package io.millrace.client;

/** Hears how far something is that takes a while, so that a person can be told. */
public interface Progress {
  /** Hears and says nothing. */
  Progress SILENT = line -> {};

  /** Something that is worth a line. */
  void report(String line);

  /** How far it is at the moment; the next one takes its place. */
  default void update(String line) {}
}
