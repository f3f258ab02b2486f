package io.millrace.core.config;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and prints durations: {@code 10 s}, {@code 250ms}, {@code 5 min}. */
public final class Durations {
  private static final Pattern FORM = Pattern.compile("(\\d+)\\s*([a-zµ]*)");

  /** 100 years, which still fit into a long of nanoseconds. */
  private static final Duration MAX = Duration.ofDays(36_500);

  private Durations() {}

  public static Duration parse(String text) {
    Matcher match = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!match.matches()) {
      throw new IllegalArgumentException("a duration must be a number and a unit, such as '10 s'");
    }
    try {
      Duration duration = amount(Long.parseLong(match.group(1)), match.group(2));
      if (duration.compareTo(MAX) <= 0) {
        return duration;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // More than fits into a long.
    }
    throw new IllegalArgumentException("a duration must be at most " + MAX.toDays() + " d");
  }

  private static Duration amount(long amount, String unit) {
    return switch (unit) {
      case "", "ms", "milli", "millis", "millisecond", "milliseconds" -> Duration.ofMillis(amount);
      case "ns", "nano", "nanos", "nanosecond", "nanoseconds" -> Duration.ofNanos(amount);
      case "µs", "us", "micro", "micros", "microsecond", "microseconds" ->
          Duration.ofNanos(Math.multiplyExact(amount, 1000L));
      case "s", "sec", "secs", "second", "seconds" -> Duration.ofSeconds(amount);
      case "m", "min", "mins", "minute", "minutes" -> Duration.ofMinutes(amount);
      case "h", "hour", "hours" -> Duration.ofHours(amount);
      case "d", "day", "days" -> Duration.ofDays(amount);
      default ->
          throw new IllegalArgumentException(
              "unknown unit '" + unit + "'; use ns, us, ms, s, min, h or d");
    };
  }

  /** A duration as text: {@code 350 ms}, {@code 2.4 s}, {@code 5 min}. */
  public static String readable(Duration duration) {
    long millis = duration.toMillis();
    if (millis < 1000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return millis % 1000 == 0
          ? millis / 1000 + " s"
          : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
    long seconds = duration.toSeconds();
    return seconds % 60 == 0 ? seconds / 60 + " min" : seconds / 60 + " min " + seconds % 60 + " s";
  }
}
