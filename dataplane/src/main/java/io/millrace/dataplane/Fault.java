package io.millrace.dataplane;

import java.util.Optional;

/**
 * What is known of a failure of user code besides its exception.
 *
 * @param record what the operator was given
 * @param position where the source of the chain got what the chain was working on
 */
record Fault(String operator, String task, Optional<Object> record, Optional<String> position) {
  private static final int MOST_CHARACTERS = 100;

  /** One sentence, without the full stop that the exception's own message may lack. */
  String message(String cause) {
    return "Operator '"
        + operator
        + "' of task "
        + task
        + " failed"
        + record.map(given -> " on " + text(given)).orElse("")
        + position.map(place -> " at " + place).orElse("")
        + ": "
        + cause;
  }

  /** A record as text, if it has one worth reading. It is the user's code that makes it. */
  private static String text(Object record) {
    String type = record.getClass().getName();
    try {
      if (record.getClass().getMethod("toString").getDeclaringClass() == Object.class) {
        return "a record of " + type;
      }
      String text = record.toString();
      if (text == null) {
        return "a record of " + type;
      }
      String line = text.replaceAll("\\p{Cntrl}", " ");
      return "record "
          + (line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "…");
    } catch (ReflectiveOperationException
        | RuntimeException
        | LinkageError
        | StackOverflowError e) {
      return "a record of " + type;
    }
  }
}
