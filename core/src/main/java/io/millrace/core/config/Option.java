package io.millrace.core.config;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A declared configuration key: its type, its default and one sentence on what it does. A key may
 * have gaps such as {@code <name>}: it stands for all keys with something in their places, each of
 * which {@link #named} makes.
 *
 * @param <T> the type of its values
 */
public final class Option<T> {
  private static final Pattern GAP = Pattern.compile("<[a-z]+>");

  private final String key;
  private final String type;
  private final Function<String, T> parser;
  private final Optional<String> defaultText;
  private final String description;

  private Option(
      String key,
      String type,
      Function<String, T> parser,
      Optional<String> defaultText,
      String description) {
    this.key = key;
    this.type = type;
    this.parser = parser;
    this.defaultText = defaultText;
    this.description = description;
    defaultText.ifPresent(this::parse);
  }

  public static Option<String> text(String key, String fallback, String description) {
    return new Option<>(key, "String", text -> text, Optional.of(fallback), description);
  }

  public static Option<String> text(String key, String description) {
    return new Option<>(key, "String", text -> text, Optional.empty(), description);
  }

  public static Option<Integer> integer(String key, int fallback, String description) {
    return new Option<>(
        key, "Integer", Integer::valueOf, Optional.of(String.valueOf(fallback)), description);
  }

  public static Option<Integer> integer(String key, String description) {
    return new Option<>(key, "Integer", Integer::valueOf, Optional.empty(), description);
  }

  public static Option<Boolean> flag(String key, boolean fallback, String description) {
    return new Option<>(
        key, "Boolean", Option::parseFlag, Optional.of(String.valueOf(fallback)), description);
  }

  public static Option<Duration> duration(String key, String fallback, String description) {
    return new Option<>(key, "Duration", Durations::parse, Optional.of(fallback), description);
  }

  public static Option<Duration> duration(String key, String description) {
    return new Option<>(key, "Duration", Durations::parse, Optional.empty(), description);
  }

  public static Option<MemorySize> memory(String key, String fallback, String description) {
    return new Option<>(key, "MemorySize", MemorySize::parse, Optional.of(fallback), description);
  }

  public static Option<MemorySize> memory(String key, String description) {
    return new Option<>(key, "MemorySize", MemorySize::parse, Optional.empty(), description);
  }

  /** A part of a whole; declared with the precision in which memory is divided. */
  public static Option<Float> fraction(String key, float fallback, String description) {
    return new Option<>(
        key, "Float", Float::valueOf, Optional.of(String.valueOf(fallback)), description);
  }

  public static Option<Double> decimal(String key, String description) {
    return new Option<>(key, "Double", Double::valueOf, Optional.empty(), description);
  }

  public static Option<Double> decimal(String key, double fallback, String description) {
    return new Option<>(
        key, "Double", Double::valueOf, Optional.of(String.valueOf(fallback)), description);
  }

  public static <E extends Enum<E>> Option<E> choice(
      String key, Class<E> values, E fallback, String description) {
    return new Option<>(
        key,
        choices(values),
        text -> parseChoice(values, text),
        Optional.of(spelled(fallback)),
        description);
  }

  /** One whose default depends on other options. */
  public static <E extends Enum<E>> Option<E> choice(
      String key, Class<E> values, String description) {
    return new Option<>(
        key, choices(values), text -> parseChoice(values, text), Optional.empty(), description);
  }

  private static <E extends Enum<E>> String choices(Class<E> values) {
    return Arrays.stream(values.getEnumConstants())
        .map(Option::spelled)
        .collect(Collectors.joining("|"));
  }

  public static Option<List<String>> list(String key, String fallback, String description) {
    return new Option<>(key, "List", Option::parseList, Optional.of(fallback), description);
  }

  public String key() {
    return key;
  }

  public String type() {
    return type;
  }

  public Optional<String> defaultText() {
    return defaultText;
  }

  public String description() {
    return description;
  }

  /** The option whose key has these names in the gaps of this one's. */
  public Option<T> named(String... names) {
    String filled = key;
    for (String name : names) {
      filled = GAP.matcher(filled).replaceFirst(Matcher.quoteReplacement(name));
    }
    return new Option<>(filled, type, parser, defaultText, description);
  }

  /** Whether a key with gaps stands for this one; names have no dots, but for the last gap's. */
  public boolean standsFor(String other) {
    Matcher gaps = GAP.matcher(key);
    StringBuilder form = new StringBuilder();
    int end = 0;
    while (gaps.find()) {
      form.append(Pattern.quote(key.substring(end, gaps.start())));
      form.append(gaps.end() == key.length() ? ".+" : "[^.]+");
      end = gaps.end();
    }
    form.append(Pattern.quote(key.substring(end)));
    return end > 0 && Pattern.matches(form.toString(), other);
  }

  T parse(String text) {
    try {
      return parser.apply(text.trim());
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Option '"
              + key
              + "' wants a value of type "
              + type
              + ", not '"
              + SensitiveValues.shown(key, text)
              + "' ("
              + e.getMessage()
              + ").",
          e);
    }
  }

  /** A value as text that parses to the same value again. */
  static String text(Object value) {
    if (value instanceof Duration duration) {
      return duration.toNanosPart() % 1_000_000 == 0
          ? duration.toMillis() + " ms"
          : duration.toNanos() + " ns";
    }
    if (value instanceof MemorySize size) {
      return size.bytes() + "b";
    }
    if (value instanceof Enum<?> choice) {
      return spelled(choice);
    }
    if (value instanceof Collection<?> elements) {
      return elements.stream().map(Option::text).collect(Collectors.joining(";"));
    }
    return String.valueOf(value);
  }

  private static String spelled(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static boolean parseFlag(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on" -> true;
      case "false", "no", "off" -> false;
      default -> throw new IllegalArgumentException("say true or false");
    };
  }

  private static <E extends Enum<E>> E parseChoice(Class<E> values, String text) {
    for (E value : values.getEnumConstants()) {
      if (value.name().equalsIgnoreCase(text.replace('-', '_'))) {
        return value;
      }
    }
    throw new IllegalArgumentException("no such choice");
  }

  private static List<String> parseList(String text) {
    return Arrays.stream(text.split("[;,]", -1))
        .map(String::trim)
        .filter(part -> !part.isEmpty())
        .toList();
  }

  @Override
  public String toString() {
    return key;
  }
}
