package io.millrace.core.config;

import io.millrace.core.MemorySize;
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
 * A declared configuration key: its type, range, default, scope and one sentence of description. A
 * key may have placeholders such as {@code <name>}. It then declares a family of keys; {@link
 * #named} returns one of them.
 *
 * @param <T> the type of the values
 */
public final class Option<T> {
  private static final Pattern PLACEHOLDER = Pattern.compile("<[a-z]+>");

  private final String key;
  private final String type;
  private final Function<String, T> parser;
  private final Optional<String> defaultText;
  private final String description;
  private final OptionRange<T> range;
  private final OptionScope scope;

  private Option(
      String key,
      String type,
      Function<String, T> parser,
      Optional<String> defaultText,
      String description) {
    this(key, type, parser, defaultText, description, OptionRange.unbounded(), OptionScope.CLUSTER);
  }

  private Option(
      String key,
      String type,
      Function<String, T> parser,
      Optional<String> defaultText,
      String description,
      OptionRange<T> range,
      OptionScope scope) {
    this.key = key;
    this.type = type;
    this.parser = parser;
    this.defaultText = defaultText;
    this.description = description;
    this.range = range;
    this.scope = scope;
  }

  public static Option<String> text(String key, String fallback, String description) {
    return new Option<>(key, "String", text -> text, Optional.of(fallback), description);
  }

  public static Option<String> text(String key, String description) {
    return new Option<>(key, "String", text -> text, Optional.empty(), description);
  }

  /** An option whose values match a pattern or are empty. */
  public static Option<String> text(String key, Pattern form, String example, String description) {
    return new Option<>(
        key, "String", text -> parseForm(form, example, text), Optional.empty(), description);
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
    return new Option<>(key, "Duration", Option::parseDuration, Optional.of(fallback), description);
  }

  public static Option<Duration> duration(String key, String description) {
    return new Option<>(key, "Duration", Option::parseDuration, Optional.empty(), description);
  }

  public static Option<MemorySize> memory(String key, String fallback, String description) {
    return new Option<>(key, "MemorySize", MemorySize::parse, Optional.of(fallback), description);
  }

  public static Option<MemorySize> memory(String key, String description) {
    return new Option<>(key, "MemorySize", MemorySize::parse, Optional.empty(), description);
  }

  /** A fraction of a whole, in single precision as in the derivation of memory. */
  public static Option<Float> fraction(String key, float fallback, String description) {
    return new Option<>(
        key, "Float", Option::parseFloat, Optional.of(String.valueOf(fallback)), description);
  }

  public static Option<Double> decimal(String key, String description) {
    return new Option<>(key, "Double", Option::parseDouble, Optional.empty(), description);
  }

  public static Option<Double> decimal(String key, double fallback, String description) {
    return new Option<>(
        key, "Double", Option::parseDouble, Optional.of(String.valueOf(fallback)), description);
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

  /** An option whose default depends on other options. */
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

  /** An option without a default whose value is a regular expression. */
  public static Option<Pattern> regex(String key, String description) {
    return new Option<>(key, "Regex", Pattern::compile, Optional.empty(), description);
  }

  /** Ports that a server may bind. */
  public static Option<PortRange> ports(String key, String fallback, String description) {
    return new Option<>(key, "Ports", PortRange::parse, Optional.of(fallback), description);
  }

  public static Option<PortRange> ports(String key, String description) {
    return new Option<>(key, "Ports", PortRange::parse, Optional.empty(), description);
  }

  // --- range

  public Option<T> between(long least, long most) {
    return between(String.valueOf(least), String.valueOf(most));
  }

  public Option<T> between(String least, String most) {
    return within(range.from(parser.apply(least), least, true).to(parser.apply(most), most, true));
  }

  public Option<T> atLeast(long least) {
    return atLeast(String.valueOf(least));
  }

  public Option<T> atLeast(String least) {
    return within(range.from(parser.apply(least), least, true));
  }

  public Option<T> moreThan(long bound) {
    return within(range.from(parser.apply(String.valueOf(bound)), String.valueOf(bound), false));
  }

  public Option<T> lessThan(long bound) {
    return within(range.to(parser.apply(String.valueOf(bound)), String.valueOf(bound), false));
  }

  /** Allows one more value outside of the range. */
  public Option<T> or(long value) {
    return or(String.valueOf(value));
  }

  public Option<T> or(String value) {
    return within(range.or(parser.apply(value), value));
  }

  private Option<T> within(OptionRange<T> values) {
    return new Option<>(key, type, parser, defaultText, description, values, scope);
  }

  // --- scope

  public Option<T> perJob() {
    return scoped(OptionScope.JOB);
  }

  public Option<T> perCommand() {
    return scoped(OptionScope.COMMAND);
  }

  private Option<T> scoped(OptionScope smallest) {
    return new Option<>(key, type, parser, defaultText, description, range, smallest);
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

  public OptionScope scope() {
    return scope;
  }

  /** The range as text; empty if the type does not restrict it. */
  public Optional<String> range() {
    return range.isBounded() ? Optional.of(range.toString()) : Optional.empty();
  }

  /** The option of the family with these names in place of the placeholders. */
  public Option<T> named(String... names) {
    String filled = key;
    for (String name : names) {
      filled = PLACEHOLDER.matcher(filled).replaceFirst(Matcher.quoteReplacement(name));
    }
    return as(filled);
  }

  /**
   * Whether a key belongs to the family of this one. Names have no dots, except for the last
   * placeholder.
   */
  public boolean matches(String other) {
    Matcher placeholders = PLACEHOLDER.matcher(key);
    StringBuilder form = new StringBuilder();
    int end = 0;
    while (placeholders.find()) {
      form.append(Pattern.quote(key.substring(end, placeholders.start())));
      form.append(placeholders.end() == key.length() ? ".+" : "[^.]+");
      end = placeholders.end();
    }
    form.append(Pattern.quote(key.substring(end)));
    return end > 0 && Pattern.matches(form.toString(), other);
  }

  /** The option of the family that has this key. */
  Option<T> as(String other) {
    return new Option<>(other, type, parser, defaultText, description, range, scope);
  }

  /** Parses a value; throws if it does not parse or is out of range. */
  public T parse(String text) {
    T value;
    try {
      value = parser.apply(text.trim());
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Option '"
              + key
              + "' needs a value of type "
              + type
              + ", not '"
              + SensitiveValues.shown(key, text)
              + "' ("
              + e.getMessage()
              + ")."
              + range().map(values -> " It takes " + values + ".").orElse(""),
          e);
    }
    if (!range.contains(value)) {
      throw new MillraceException(
          ErrorKind.USER,
          "Option '" + key + "' is " + text.trim() + ", but it takes " + range + ".");
    }
    return value;
  }

  /** A value as text that parses to the same value. */
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

  /** Accepts negative durations, which the range may reject. */
  private static Duration parseDuration(String text) {
    return text.startsWith("-")
        ? Durations.parse(text.substring(1)).negated()
        : Durations.parse(text);
  }

  private static float parseFloat(String text) {
    // Not by way of a double: rounding twice could change a size by one byte.
    float value = Float.parseFloat(text);
    if (!Float.isFinite(value)) {
      throw new IllegalArgumentException("not a finite number");
    }
    return value;
  }

  private static double parseDouble(String text) {
    double value = Double.parseDouble(text);
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("not a finite number");
    }
    return value;
  }

  private static boolean parseFlag(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on" -> true;
      case "false", "no", "off" -> false;
      default -> throw new IllegalArgumentException("use true or false");
    };
  }

  private static <E extends Enum<E>> E parseChoice(Class<E> values, String text) {
    for (E value : values.getEnumConstants()) {
      if (value.name().equalsIgnoreCase(text.replace('-', '_'))) {
        return value;
      }
    }
    throw new IllegalArgumentException("not an allowed value");
  }

  private static String parseForm(Pattern form, String example, String text) {
    if (!text.isEmpty() && !form.matcher(text).matches()) {
      throw new IllegalArgumentException("use a value such as " + example);
    }
    return text;
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
