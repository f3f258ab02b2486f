package io.millrace.rest.story;

import io.millrace.core.id.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How things are said. */
final class Words {
  private static final int LONGEST = 300;

  private Words() {}

  static String counted(int count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

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

  /** Numbers in growing order as {@code 0-3, 7}. */
  static String ranges(List<Integer> numbers) {
    List<String> ranges = new ArrayList<>();
    for (int i = 0; i < numbers.size(); ) {
      int first = numbers.get(i);
      int last = first;
      i++;
      while (i < numbers.size() && numbers.get(i) == last + 1) {
        last++;
        i++;
      }
      ranges.add(first == last ? String.valueOf(first) : first + "-" + last);
    }
    return String.join(", ", ranges);
  }
}
