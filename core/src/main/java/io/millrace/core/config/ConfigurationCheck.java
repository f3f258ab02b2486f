package io.millrace.core.config;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Checks keys and values against the declared options. Errors about an unknown key suggest a
 * declared one.
 */
public final class ConfigurationCheck {
  /**
   * Maximum edit distance at which an unknown key counts as a mistyped declared key, even if Flink
   * has an option of that name.
   */
  private static final int MAX_TYPO_DISTANCE = 2;

  private final Map<String, Option<?>> byKey = new TreeMap<>();
  private final List<String> ownPrefixes;

  /** Asked with the first key that is not among the known options, and emptied then. */
  private Optional<Supplier<List<OptionProvider>>> plugins;

  private final Map<String, String> unsupported = new LinkedHashMap<>();

  /**
   * @param whole the configuration that declares the program's own keys
   */
  public ConfigurationCheck(Collection<Option<?>> known, Configuration whole) {
    this(known, List::of, whole);
  }

  /**
   * @param plugins the providers of further options; asked only if a key is not known, because a
   *     look into plugins takes time
   * @param whole the configuration that names the keys of the program's own
   */
  public ConfigurationCheck(
      Collection<Option<?>> known, Supplier<List<OptionProvider>> plugins, Configuration whole) {
    this.plugins = Optional.of(plugins);
    known.forEach(option -> byKey.put(option.key(), option));
    ownPrefixes =
        whole.get(PipelineOptions.GLOBAL_JOB_PARAMETERS).stream()
            // Flink's format is key:value.
            .map(parameter -> parameter.split(":", 2)[0].trim())
            .filter(prefix -> !prefix.isEmpty())
            .toList();
  }

  /** Rejects values that do not parse or are out of range. Ignores undeclared keys. */
  public void values(Configuration configuration) {
    configuration
        .entries()
        .forEach((key, value) -> option(key).ifPresent(option -> option.parse(value)));
  }

  /** Rejects undeclared keys. */
  public void keys(Configuration configuration) {
    unknown(configuration).stream()
        .findFirst()
        .ifPresent(
            key -> {
              throw new MillraceException(ErrorKind.USER, refusal(key));
            });
  }

  /** The undeclared keys. */
  public List<String> unknown(Configuration configuration) {
    return configuration.entries().keySet().stream()
        .filter(key -> option(key).isEmpty() && !belongsToProgram(key))
        .toList();
  }

  /** One line about unknown keys; there must be at least one. */
  public String warning(String where, List<String> unknown) {
    List<String> ofFlink = new ArrayList<>();
    List<String> undeclared = new ArrayList<>();
    for (String key : unknown) {
      if (withoutEffect(key).isPresent()) {
        ofFlink.add(key);
      } else {
        undeclared.add(
            key + suggestion(key).map(better -> " (did you mean " + better + "?)").orElse(""));
      }
    }
    List<String> sentences = new ArrayList<>();
    if (!undeclared.isEmpty()) {
      sentences.add(
          where
              + " sets unknown options, which are ignored: "
              + String.join(", ", undeclared)
              + ". Use the prefix user. for keys of your own.");
    }
    if (!ofFlink.isEmpty()) {
      sentences.add(
          (undeclared.isEmpty() ? where + " sets" : "It sets")
              + " options of Flink that have no effect: "
              + String.join(", ", ofFlink)
              + "; see docs/options.md.");
    }
    return String.join(" ", sentences);
  }

  /** The option that declares a key. */
  public Optional<Option<?>> option(String key) {
    Optional<Option<?>> known = known(key);
    if (known.isPresent() || belongsToProgram(key)) {
      return known;
    }
    askPlugins();
    return known(key);
  }

  private void askPlugins() {
    List<OptionProvider> providers = plugins.map(Supplier::get).orElse(List.of());
    plugins = Optional.empty();
    for (OptionProvider provider : providers) {
      provider.options().forEach(option -> byKey.putIfAbsent(option.key(), option));
      unsupported.putAll(provider.unsupported());
    }
  }

  private Optional<Option<?>> known(String key) {
    Option<?> exact = byKey.get(key);
    return exact != null
        ? Optional.of(exact)
        : byKey.values().stream()
            .filter(option -> option.matches(key))
            .findFirst()
            .map(option -> option.as(key));
  }

  private boolean belongsToProgram(String key) {
    return ownPrefixes.stream()
        .anyMatch(
            prefix ->
                key.equals(prefix) || key.startsWith(prefix.endsWith(".") ? prefix : prefix + "."));
  }

  private String refusal(String key) {
    Optional<String> ofFlink = withoutEffect(key);
    if (ofFlink.isPresent()) {
      return "Option '" + key + "' of Flink has no effect: " + ofFlink.get() + ". Remove it.";
    }
    return "Unknown option '"
        + key
        + "'."
        + suggestion(key)
            .map(better -> " Did you mean '" + better + "'?")
            .orElse(" See docs/options.md for all options.");
  }

  private Optional<String> withoutEffect(String key) {
    return FlinkOptions.reason(key)
        .or(() -> unsupportedByPlugin(key))
        .filter(reason -> distance(key, nearest(key)) > MAX_TYPO_DISTANCE);
  }

  private Optional<String> unsupportedByPlugin(String key) {
    return unsupported.entrySet().stream()
        .filter(entry -> FlinkOptions.matches(entry.getKey(), key))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private Optional<String> suggestion(String key) {
    String nearest = nearest(key);
    return distance(key, nearest) <= Math.max(3, key.length() / 3)
        ? Optional.of(nearest)
        : Optional.empty();
  }

  private String nearest(String key) {
    return byKey.keySet().stream()
        .collect(
            Collectors.minBy(
                (left, right) -> Integer.compare(distance(key, left), distance(key, right))))
        .orElse("");
  }

  /** The edit distance of two texts. */
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
