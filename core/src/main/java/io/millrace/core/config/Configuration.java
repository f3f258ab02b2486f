package io.millrace.core.config;

import io.millrace.core.Ordered;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Settings as text, read through {@link Option}s. Immutable; {@code with} makes a changed copy. */
public record Configuration(Map<String, String> entries) {
  public static final Configuration EMPTY = new Configuration(new LinkedHashMap<>());

  public Configuration {
    entries = Ordered.map(new TreeMap<>(entries));
  }

  /** The configured value, or the option's default; an option that has neither is an error. */
  public <T> T get(Option<T> option) {
    return find(option)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "Option '"
                        + option.key()
                        + "' is not set and has no default. Set it with -D "
                        + option.key()
                        + "=… or in the configuration file."));
  }

  /** The configured value, or the option's default, or nothing. */
  public <T> Optional<T> find(Option<T> option) {
    String text = entries.get(option.key());
    return Optional.ofNullable(text).or(option::defaultText).map(option::parse);
  }

  public boolean contains(Option<?> option) {
    return entries.containsKey(option.key());
  }

  public Configuration with(Option<?> option, Object value) {
    return with(option.key(), Option.text(value));
  }

  public Configuration with(String key, String value) {
    Map<String, String> changed = new LinkedHashMap<>(entries);
    changed.put(key, value);
    return new Configuration(changed);
  }

  /** This configuration with every entry of the other one added or replaced. */
  public Configuration overriddenBy(Configuration other) {
    Map<String, String> changed = new LinkedHashMap<>(entries);
    changed.putAll(other.entries);
    return new Configuration(changed);
  }

  /**
   * Refuses keys nobody declared and values that do not parse. A mistyped key that is silently
   * ignored is the most expensive kind of configuration error, so each comes with a suggestion.
   */
  public void check(Collection<Option<?>> known) {
    Map<String, Option<?>> byKey = new TreeMap<>();
    known.forEach(option -> byKey.put(option.key(), option));
    entries.forEach(
        (key, value) -> {
          Optional<? extends Option<?>> option =
              Optional.<Option<?>>ofNullable(byKey.get(key))
                  .or(() -> known.stream().filter(one -> one.standsFor(key)).findFirst());
          option
              .orElseThrow(
                  () -> new MillraceException(ErrorKind.USER, unknown(key, byKey.keySet())))
              .parse(value);
        });
  }

  /** For logs: without secrets. */
  @Override
  public String toString() {
    return SensitiveValues.text(this);
  }

  private static String unknown(String key, Collection<String> known) {
    String best = "";
    int bestDistance = Integer.MAX_VALUE;
    for (String candidate : known) {
      int distance = distance(key, candidate);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = candidate;
      }
    }
    String hint =
        bestDistance <= Math.max(3, key.length() / 3)
            ? " Did you mean '" + best + "'?"
            : " The option reference in docs/options.md lists them all.";
    return "Unknown option '" + key + "'." + hint;
  }

  /** How many single-character edits lead from one text to the other. */
  private static int distance(String left, String right) {
    int[] row = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int substitute = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitute, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[right.length()];
  }
}
