package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import java.util.Set;

/** How things are said. */
final class Phrases {
  private static final int LONGEST = 300;

  private Phrases() {}

  /** A text of somebody else's, which may be of any length, as one sentence. */
  static String sentence(String text) {
    String line = text.strip();
    if (line.length() > LONGEST) {
      line = line.substring(0, LONGEST) + "…";
    }
    return line.isEmpty() || ".!?…".indexOf(line.charAt(line.length() - 1)) >= 0
        ? line
        : line + ".";
  }

  /** Which process took a step that these workers took part in. */
  static String process(Set<WorkerId> workers) {
    return workers.size() == 1 ? workers.iterator().next().value() : "taskmanagers";
  }

  /** An end that is not before the start; -1 for none. */
  static long after(long start, long end) {
    return end < 0 ? -1 : Math.max(start, end);
  }
}
