package io.millrace.core.config;

import io.millrace.core.OrderedCopies;
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
    entries = OrderedCopies.map(new TreeMap<>(entries));
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

  /** Without these keys. */
  public Configuration without(Collection<String> keys) {
    Map<String, String> changed = new LinkedHashMap<>(entries);
    changed.keySet().removeAll(keys);
    return new Configuration(changed);
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

  /** Refuses keys nobody declared and values that do not parse or are out of range. */
  public void check(Collection<Option<?>> known) {
    ConfigurationCheck check = new ConfigurationCheck(known, this);
    check.keys(this);
    check.values(this);
  }

  /** For logs: without secrets. */
  @Override
  public String toString() {
    return SensitiveValues.text(this);
  }
}
