package io.millrace.core.id;

import java.util.HexFormat;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** 128 bits that the typed ids of this package are made of. */
public record Id128(long high, long low) implements Comparable<Id128> {

  public static Id128 random(RandomGenerator random) {
    return new Id128(random.nextLong(), random.nextLong());
  }

  /** Reads 32 hex digits; anything else is an {@link IllegalArgumentException} saying so. */
  public static Id128 parse(String text) {
    String digits = text.toLowerCase(Locale.ROOT);
    if (digits.length() != 32 || !digits.chars().allMatch(HexFormat::isHexDigit)) {
      throw new IllegalArgumentException("An id has 32 hex digits, this has not: '" + text + "'");
    }
    return new Id128(
        HexFormat.fromHexDigitsToLong(digits, 0, 16),
        HexFormat.fromHexDigitsToLong(digits, 16, 32));
  }

  @Override
  public int compareTo(Id128 other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
