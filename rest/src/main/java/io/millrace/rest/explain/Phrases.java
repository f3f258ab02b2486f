package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import java.util.Set;

/** Renders sentences of explanations and timelines. */
final class Phrases {
  private static final int MAX_LENGTH = 300;

  private Phrases() {}

  /** Turns a text of any length into one sentence of limited length. */
  static String sentence(String text) {
    String line = text.strip();
    if (line.length() > MAX_LENGTH) {
      line = line.substring(0, MAX_LENGTH) + "…";
    }
    return line.isEmpty() || ".!?…".indexOf(line.charAt(line.length() - 1)) >= 0
        ? line
        : line + ".";
  }

  /** The process of a step in which these workers took part. */
  static String process(Set<WorkerId> workers) {
    return workers.size() == 1 ? workers.iterator().next().value() : "taskmanagers";
  }

  /** An end that is not before the start; -1 if there is no end. */
  static long after(long start, long end) {
    return end < 0 ? -1 : Math.max(start, end);
  }
}
