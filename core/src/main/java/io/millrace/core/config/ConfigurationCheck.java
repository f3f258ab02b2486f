package io.millrace.core.config;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Checks keys and values against the declared options. A mistyped key that is silently ignored is
 * the most expensive kind of configuration error, so each unknown one comes with a suggestion.
 */
public final class ConfigurationCheck {
  /** Edits up to which a key is a declared one that was mistyped, even if Flink has such a one. */
  private static final int TYPO = 2;

  private final Map<String, Option<?>> byKey = new TreeMap<>();
  private final List<String> ownPrefixes;

  /**
   * @param whole the configuration that names the keys of the program's own
   */
  public ConfigurationCheck(Collection<Option<?>> known, Configuration whole) {
    known.forEach(option -> byKey.put(option.key(), option));
    ownPrefixes =
        whole.get(PipelineOptions.GLOBAL_JOB_PARAMETERS).stream()
            // Flink's form is key:value.
            .map(parameter -> parameter.split(":", 2)[0].trim())
            .filter(prefix -> !prefix.isEmpty())
            .toList();
  }

  /** Refuses values that do not parse or are out of range; keys may be unknown. */
  public void values(Configuration configuration) {
    configuration
        .entries()
        .forEach((key, value) -> option(key).ifPresent(option -> option.parse(value)));
  }

  /** Refuses keys nobody declared. */
  public void keys(Configuration configuration) {
    unknown(configuration).stream()
        .findFirst()
        .ifPresent(
            key -> {
              throw new MillraceException(ErrorKind.USER, refusal(key));
            });
  }

  /** The keys nobody declared. */
  public List<String> unknown(Configuration configuration) {
    return configuration.entries().keySet().stream()
        .filter(key -> option(key).isEmpty() && !belongsToProgram(key))
        .toList();
  }

  /** One line about unknown keys, of which there is at least one. */
  public String warning(String where, List<String> unknown) {
    List<String> flinks = new ArrayList<>();
    List<String> nobodys = new ArrayList<>();
    for (String key : unknown) {
      if (withoutEffect(key).isPresent()) {
        flinks.add(key);
      } else {
        nobodys.add(
            key + suggestion(key).map(better -> " (did you mean " + better + "?)").orElse(""));
      }
    }
    List<String> sentences = new ArrayList<>();
    if (!nobodys.isEmpty()) {
      sentences.add(
          where
              + " sets keys that are no options and are left out: "
              + String.join(", ", nobodys)
              + ". Keys of your own can stand below user.");
    }
    if (!flinks.isEmpty()) {
      sentences.add(
          (nobodys.isEmpty() ? where + " sets" : "It sets")
              + " options of Flink that have no effect here: "
              + String.join(", ", flinks)
              + "; docs/options.md says why.");
    }
    return String.join(" ", sentences);
  }

  /** The option that a key is of. */
  public Optional<Option<?>> option(String key) {
    Option<?> exact = byKey.get(key);
    return exact != null
        ? Optional.of(exact)
        : byKey.values().stream()
            .filter(option -> option.standsFor(key))
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
    Optional<String> flinks = withoutEffect(key);
    if (flinks.isPresent()) {
      return "Option '"
          + key
          + "' of Flink has no effect here: "
          + flinks.get()
          + ". Leave it out.";
    }
    return "Unknown option '"
        + key
        + "'."
        + suggestion(key)
            .map(better -> " Did you mean '" + better + "'?")
            .orElse(" The option reference in docs/options.md lists them all.");
  }

  private Optional<String> withoutEffect(String key) {
    return FlinkOptions.reason(key).filter(reason -> distance(key, nearest(key)) > TYPO);
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
