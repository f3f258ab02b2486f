package io.millrace.dataplane.operator;

import io.millrace.api.time.TimeDomain;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of a failure of user code besides its exception.
 *
 * @param during what the operator was called for
 * @param position where the source of the chain got what the chain was working on
 */
public record FailureContext(
    String operator, String task, Optional<Trigger> during, Optional<String> position) {
  /** Why an operator is called. Its text is made only when it is asked for. */
  sealed interface Trigger {
    /** How the text of a failure goes on. */
    String text();
  }

  /** A record came. */
  record OnRecord(Object record) implements Trigger {
    @Override
    public String text() {
      return "on " + FailureContext.text("record", record);
    }
  }

  /** A timer of a key fired. */
  record OnTimer(Object key, long time, TimeDomain domain) implements Trigger {
    @Override
    public String text() {
      return "in the "
          + (domain == TimeDomain.EVENT_TIME ? "event-time" : "processing-time")
          + " timer of "
          + FailureContext.text("key", key)
          + " for "
          + moment(time);
    }
  }

  /** A window of a key fired. */
  public record OnWindow(Object key, long start, long end) implements Trigger {
    @Override
    public String text() {
      return "in the window of "
          + FailureContext.text("key", key)
          + " from "
          + moment(start)
          + " to "
          + moment(end);
    }
  }

  private static final int MOST_CHARACTERS = 100;

  /** Beyond the year 9999 in either direction a number is all that is worth telling. */
  private static final long FAR_MILLIS = 253_402_300_800_000L;

  /** What a record is the trigger of; nothing is told of null. */
  public static Optional<Trigger> onRecord(Object record) {
    return Optional.ofNullable(record).map(OnRecord::new);
  }

  /** One sentence, without the full stop that the exception's own message may lack. */
  String message(String cause) {
    return "Operator '"
        + operator
        + "' of task "
        + task
        + " failed"
        + during.map(trigger -> " " + trigger.text()).orElse("")
        + position.map(place -> " at " + place).orElse("")
        + ": "
        + cause;
  }

  /** As the program has it, and readable if it is a time of the calendar. */
  private static String moment(long time) {
    boolean isOfCalendar = time > -FAR_MILLIS && time < FAR_MILLIS;
    return isOfCalendar ? time + " (" + Instant.ofEpochMilli(time) + ")" : Long.toString(time);
  }

  /**
   * A record or a key as text, if it has one worth reading. It is the user's code that makes it.
   */
  private static String text(String what, Object value) {
    String type = value.getClass().getName();
    try {
      if (value.getClass().getMethod("toString").getDeclaringClass() == Object.class) {
        return "a " + what + " of " + type;
      }
      String text = value.toString();
      if (text == null) {
        return "a " + what + " of " + type;
      }
      String line = text.replaceAll("\\p{Cntrl}", " ");
      return what
          + " "
          + (line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "…");
    } catch (ReflectiveOperationException
        | RuntimeException
        | LinkageError
        | StackOverflowError e) {
      return "a " + what + " of " + type;
    }
  }
}
