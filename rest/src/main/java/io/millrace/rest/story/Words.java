package io.millrace.rest.story;

import java.util.ArrayList;
import java.util.List;

/** How things are said. */
final class Words {
  private static final int LONGEST = 400;

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
    return line.isEmpty() || ".!?…".indexOf(line.charAt(line.length() - 1)) >= 0 ? line : line + ".";
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
