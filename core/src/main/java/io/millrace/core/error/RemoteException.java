package io.millrace.core.error;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An exception of another process, parsed from its printed stack trace, because its class may not
 * exist here. It prints like the original.
 */
public final class RemoteException extends Exception {
  private static final long serialVersionUID = 1L;

  private static final String CAUSED_BY = "Caused by: ";
  private static final String SUPPRESSED = "Suppressed: ";
  private static final Pattern FRAME =
      Pattern.compile(
          "\\s*at (?:(?<origin>[^(\\s]*)/)?(?<class>[^(/\\s]+)\\.(?<method>[^(.\\s]+)\\((?<place>.*)\\)");
  private static final Pattern OMITTED = Pattern.compile("\\s*\\.\\.\\. \\d+ .*");

  private RemoteException(String header, Throwable cause) {
    super(header, cause, false, true);
  }

  /** Parses a printed stack trace; empty if the text is not one. */
  static Optional<RemoteException> parse(String stack) {
    List<Printed> chain = new ArrayList<>();
    boolean suppressed = false;
    for (String line : stack.split("\\R")) {
      if (chain.isEmpty()) {
        chain.add(new Printed(line));
      } else if (line.startsWith(CAUSED_BY)) {
        suppressed = false;
        chain.add(new Printed(line.substring(CAUSED_BY.length())));
      } else if (line.strip().startsWith(SUPPRESSED)) {
        // Lines that belong to it have a larger indentation.
        suppressed = true;
      } else if (!suppressed) {
        chain.get(chain.size() - 1).add(line);
      }
    }
    if (chain.stream().allMatch(one -> one.frames.isEmpty())) {
      return Optional.empty();
    }
    RemoteException inner = null;
    for (int i = chain.size() - 1; i >= 0; i--) {
      RemoteException next = new RemoteException(chain.get(i).header.toString(), inner);
      next.setStackTrace(chain.get(i).frames.toArray(new StackTraceElement[0]));
      inner = next;
    }
    return Optional.of(inner);
  }

  /** The class and the message of the original. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // The name of this class would be misleading.
  public String toString() {
    return getMessage();
  }

  private static final class Printed {
    private final StringBuilder header;
    private final List<StackTraceElement> frames = new ArrayList<>();

    Printed(String header) {
      this.header = new StringBuilder(header);
    }

    void add(String line) {
      Matcher frame = FRAME.matcher(line);
      if (frame.matches()) {
        frames.add(frame(frame));
      } else if (frames.isEmpty() && !OMITTED.matcher(line).matches()) {
        // A message of several lines.
        header.append('\n').append(line);
      }
    }

    private static StackTraceElement frame(Matcher line) {
      String place = line.group("place");
      int colon = place.lastIndexOf(':');
      String file = place;
      int number = -1;
      if (place.equals("Native Method")) {
        file = null;
        number = -2;
      } else if (place.equals("Unknown Source")) {
        file = null;
      } else if (colon > 0 && place.substring(colon + 1).matches("\\d{1,9}")) {
        file = place.substring(0, colon);
        number = Integer.parseInt(place.substring(colon + 1));
      }
      return new StackTraceElement(line.group("class"), line.group("method"), file, number);
    }
  }
}
