package io.millrace.core.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The ports that a server may bind: one port, ranges and lists of both, such as {@code
 * 50100,50105-50110}. The port 0 stands for any free port.
 *
 * @param ports in the order in which a server tries them, each once
 * @param text as it was configured
 */
public record PortRange(List<Integer> ports, String text) {
  private static final int MAX_PORT = 65535;

  public PortRange {
    ports = List.copyOf(ports);
    if (ports.isEmpty()) {
      throw new IllegalArgumentException("it names no port");
    }
  }

  public static PortRange of(int port) {
    return parse(String.valueOf(port));
  }

  /** Parses the text of an option; says what is wrong with it. */
  public static PortRange parse(String text) {
    Set<Integer> ports = new LinkedHashSet<>();
    for (String part : text.split(",", -1)) {
      addPart(ports, part.trim());
    }
    if (ports.contains(0) && ports.size() > 1) {
      throw new IllegalArgumentException("0 stands for any free port and must be the only port");
    }
    return new PortRange(new ArrayList<>(ports), text.trim());
  }

  private static void addPart(Set<Integer> ports, String part) {
    int dash = part.indexOf('-', 1);
    int first = port(dash < 0 ? part : part.substring(0, dash));
    int last = dash < 0 ? first : port(part.substring(dash + 1));
    if (last < first) {
      throw new IllegalArgumentException("the range " + part + " ends before it begins");
    }
    for (int port = first; port <= last; port++) {
      ports.add(port);
    }
  }

  private static int port(String text) {
    String digits = text.trim();
    if (!digits.matches("\\d{1,5}") || Integer.parseInt(digits) > MAX_PORT) {
      throw new IllegalArgumentException("'" + digits + "' is not a port from 0 to " + MAX_PORT);
    }
    return Integer.parseInt(digits);
  }

  /** Whether any free port will do. */
  public boolean isAny() {
    return ports.get(0) == 0;
  }

  /** The port, if there is only one and it is not 0. */
  public OptionalInt single() {
    return ports.size() == 1 && !isAny() ? OptionalInt.of(ports.get(0)) : OptionalInt.empty();
  }

  @Override
  public String toString() {
    return text;
  }
}
