package io.millrace.core.config;

import io.millrace.core.OrderedCopies;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Settings as text, read through {@link Option}s. Immutable: {@code with} returns a changed copy.
 */
public record Configuration(Map<String, String> entries) {
  public static final Configuration EMPTY = new Configuration(new LinkedHashMap<>());

  public Configuration {
    entries = OrderedCopies.map(new TreeMap<>(entries));
  }

  /** The configured value or the default; throws if there is neither. */
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

  /** The configured value or the default; empty if there is neither. */
  public <T> Optional<T> find(Option<T> option) {
    String text = entries.get(option.key());
    return Optional.ofNullable(text).or(option::defaultText).map(option::parse);
  }

  public boolean contains(Option<?> option) {
    return entries.containsKey(option.key());
  }

  /** A copy without these keys. */
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

  /** A copy with every entry of the other configuration added or replaced. */
  public Configuration overriddenBy(Configuration other) {
    Map<String, String> changed = new LinkedHashMap<>(entries);
    changed.putAll(other.entries);
    return new Configuration(changed);
  }

  /** Rejects undeclared keys, and values that do not parse or are out of range. */
  public void check(Collection<Option<?>> known) {
    ConfigurationCheck check = new ConfigurationCheck(known, this);
    check.keys(this);
    check.values(this);
  }

  /** Hides secrets, because records that hold a configuration are logged. */
  @Override
  public String toString() {
    return SensitiveValues.text(this);
  }
}
