package io.millrace.dataplane.operator;

import io.millrace.api.time.TimeDomain;
import java.time.Instant;
import java.util.Optional;

/**
 * The circumstances of a failure of user code.
 *
 * @param during the call that failed
 * @param position the position of the record in the source of the chain
 */
public record FailureContext(
    String operator, String task, Optional<Trigger> during, Optional<String> position) {
  /** The reason for a call of user code. Its text is rendered only after a failure. */
  sealed interface Trigger {
    /** Continues the sentence "Operator … failed". */
    String text();
  }

  /** A record was processed. */
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

  private static final int MAX_CHARACTERS = 100;

  /** Times beyond the year 9999 in either direction are shown as numbers only. */
  private static final long FAR_MILLIS = 253_402_300_800_000L;

  /** The trigger of a call with a record; empty for null. */
  public static Optional<Trigger> onRecord(Object record) {
    return Optional.ofNullable(record).map(OnRecord::new);
  }

  /** One sentence that ends with the message of the exception. */
  String message(String cause) {
    return "Operator '"
        + operator
        + "' of task "
        + task
        + " failed"
        + during.map(trigger -> " " + trigger.text()).orElse("")
        + position.map(at -> " at " + at).orElse("")
        + ": "
        + cause;
  }

  /** A time as a number, and as a date if it has one. */
  private static String moment(long time) {
    boolean isDate = time > -FAR_MILLIS && time < FAR_MILLIS;
    return isDate ? time + " (" + Instant.ofEpochMilli(time) + ")" : Long.toString(time);
  }

  /** A record or a key in one line; its class if it has no text. Calls toString of user code. */
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
          + (line.length() <= MAX_CHARACTERS ? line : line.substring(0, MAX_CHARACTERS) + "…");
    } catch (ReflectiveOperationException
        | RuntimeException
        | LinkageError
        | StackOverflowError e) {
      return "a " + what + " of " + type;
    }
  }
}
