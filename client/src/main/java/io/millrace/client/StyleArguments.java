package io.millrace.client;

import io.millrace.core.OrderedCopies;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The arguments of one command line that belong to a {@link CommandLineStyle}.
 *
 * @param address the value of {@code -m}, if it is a word of this style instead of a host and a
 *     port
 * @param options the values of its options, by their first names; a flag has the value {@code true}
 * @param hasHostPort whether {@code -m} names a host and a port
 */
public record StyleArguments(
    Optional<String> address,
    Map<String, List<String>> options,
    boolean hasHostPort,
    Map<String, String> environment) {
  public StyleArguments {
    Objects.requireNonNull(address);
    options = OrderedCopies.map(options);
    environment = OrderedCopies.map(environment);
  }

  /** The last value of an option. */
  public Optional<String> value(String name) {
    List<String> values = values(name);
    return values.isEmpty() ? Optional.empty() : Optional.of(values.get(values.size() - 1));
  }

  public List<String> values(String name) {
    return options.getOrDefault(name, List.of());
  }

  /** Whether the command line has no argument of this style. */
  public boolean isEmpty() {
    return address.isEmpty() && options.isEmpty();
  }
}
