package io.millrace.connector.files;

import java.io.Serializable;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of parts: prefix, subtask, number, a token of the writer, suffix. The token makes the
 * names of two attempts differ, so that no attempt replaces a file of another one by accident.
 */
record PartNames(String prefix, String suffix) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** What a name says. */
  record Part(int subtask, long number) {}

  String name(Part part, String token) {
    return prefix + "-" + part.subtask() + "-" + part.number() + "-" + token + suffix;
  }

  /** Empty for the name of another file. */
  Optional<Part> parse(String name) {
    Matcher matcher =
        Pattern.compile(
                Pattern.quote(prefix)
                    + "-(\\d{1,9})-(\\d{1,18})-[0-9a-f]{12}"
                    + Pattern.quote(suffix))
            .matcher(name);
    return matcher.matches()
        ? Optional.of(
            new Part(Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }
}
