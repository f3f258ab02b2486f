package io.millrace.protocol.reason;

import java.util.Objects;

/**
 * A reason of a driver: why its external system has not given a worker, or has taken it away.
 *
 * <p>A driver is a plug. Its external system has states and words that Millrace does not know, and
 * a new driver must not need a change here. So a driver renders its own sentence, as the only place
 * outside {@code io.millrace.protocol.text} that does. Code that has to tell such reasons apart
 * compares the kind, which the driver declares as a constant and does not change, and never the
 * text.
 *
 * @param kind what it is, such as {@code yarn.container-refused}
 * @param text a sentence for people, with the numbers and the external system's own words
 */
public record DriverReason(String kind, String text) implements Reason {
  public DriverReason {
    Objects.requireNonNull(text);
    if (kind.isBlank() || kind.contains(" ")) {
      throw new IllegalArgumentException("'" + kind + "' is no kind: it is empty or has a blank");
    }
  }
}
