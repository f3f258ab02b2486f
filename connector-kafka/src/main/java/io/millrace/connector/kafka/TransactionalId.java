package io.millrace.connector.kafka;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a producer's transactions: {@code PREFIX-SUBTASK-NUMBER}. Those of prepared
 * transactions are the state of a writer.
 */
record TransactionalId(int subtask, int number) {
  /** Longer numbers are not ours. */
  private static final String NUMBERS = "-(\\d{1,9})-(\\d{1,9})";

  String name(String prefix) {
    return prefix + "-" + subtask + "-" + number;
  }

  static Optional<TransactionalId> parse(String prefix, String name) {
    Matcher matcher = Pattern.compile(Pattern.quote(prefix) + NUMBERS).matcher(name);
    return matcher.matches()
        ? Optional.of(
            new TransactionalId(
                Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }
}
