package io.millrace.client;

import io.millrace.core.OrderedCopies;
import java.util.List;
import java.util.Objects;

/**
 * An option that a {@link CommandLineStyle} adds to commands.
 *
 * @param names the shortest first; {@link StyleArguments} has its values under that one
 * @param label the name of its value in the help; empty for a flag
 * @param attached whether its value may be part of the same word, as in {@code -Dkey=value}
 */
public record StyleOption(
    List<String> names, String label, String description, boolean repeatable, boolean attached) {
  public StyleOption {
    names = OrderedCopies.list(names);
    Objects.requireNonNull(label);
    Objects.requireNonNull(description);
  }

  /** An option with one value. */
  public static StyleOption value(String name, String longName, String label, String description) {
    return new StyleOption(List.of(name, longName), label, description, false, false);
  }

  /** An option without a value. */
  public static StyleOption flag(String name, String longName, String description) {
    return new StyleOption(List.of(name, longName), "", description, false, false);
  }

  /** An option that may be repeated. */
  public static StyleOption list(String name, String longName, String label, String description) {
    return new StyleOption(List.of(name, longName), label, description, true, false);
  }

  public boolean isFlag() {
    return label.isEmpty();
  }
}
