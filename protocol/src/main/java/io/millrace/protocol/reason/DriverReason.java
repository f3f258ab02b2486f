package io.millrace.protocol.reason;

import java.util.Objects;

/**
 * A reason of a driver: why its external system has not provided a worker, or has ended it.
 *
 * <p>A driver is a plug. Its external system has states that Millrace does not know, and a new
 * driver must not need a change here. A driver therefore renders its own sentence; it is the only
 * place outside {@code io.millrace.protocol.text} that does. Code that distinguishes such reasons
 * compares the kind, a constant that the driver declares and does not change, and never the text.
 *
 * @param kind such as {@code yarn.container-refused}
 * @param text a sentence for people, with the numbers and the message of the external system
 */
public record DriverReason(String kind, String text) implements Reason {
  public DriverReason {
    Objects.requireNonNull(text);
    if (kind.isBlank() || kind.contains(" ")) {
      throw new IllegalArgumentException(
          "'" + kind + "' is not a kind: it is empty or has a blank");
    }
  }
}
