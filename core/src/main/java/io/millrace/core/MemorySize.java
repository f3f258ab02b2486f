package io.millrace.core;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes, parsed from text such as {@code 64mb} or {@code 1 g} (powers of 1024). */
public record MemorySize(long bytes) implements Comparable<MemorySize> {
  private static final Pattern FORM = Pattern.compile("(\\d+)\\s*([a-z]*)");

  public MemorySize {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes must be >= 0, but is " + bytes);
    }
  }

  public static MemorySize parse(String text) {
    Matcher match = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!match.matches()) {
      throw new IllegalArgumentException("a size must be a number and a unit, such as '64mb'");
    }
    int shift =
        switch (match.group(2)) {
          case "", "b", "bytes" -> 0;
          case "k", "kb", "kibibytes" -> 10;
          case "m", "mb", "mebibytes" -> 20;
          case "g", "gb", "gibibytes" -> 30;
          case "t", "tb", "tebibytes" -> 40;
          default ->
              throw new IllegalArgumentException(
                  "unknown unit '" + match.group(2) + "'; use b, kb, mb, gb or tb");
        };
    return new MemorySize(Math.multiplyExact(Long.parseLong(match.group(1)), 1L << shift));
  }

  public static MemorySize ofMebi(long mebi) {
    return new MemorySize(mebi << 20);
  }

  /** The exact value in the largest possible unit, as an option takes it: {@code 256mb}. */
  public String exact() {
    String[] units = {"b", "kb", "mb", "gb", "tb"};
    long amount = bytes;
    int unit = 0;
    while (amount != 0 && amount % 1024 == 0 && unit < units.length - 1) {
      amount /= 1024;
      unit++;
    }
    return amount + units[unit];
  }

  /** Rounded up to whole kibibytes. */
  public MemorySize inWholeKibi() {
    return new MemorySize(Math.multiplyExact((bytes + 1023) / 1024, 1024L));
  }

  @Override
  public int compareTo(MemorySize other) {
    return Long.compare(bytes, other.bytes);
  }

  @Override
  public String toString() {
    if (bytes >= 1L << 30) {
      return String.format(Locale.ROOT, "%.2f gb", bytes / (double) (1L << 30));
    }
    return bytes >= 1L << 20 ? bytes / (1L << 20) + " mb" : bytes + " bytes";
  }
}
