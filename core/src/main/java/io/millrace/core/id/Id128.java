package io.millrace.core.id;

import java.util.HexFormat;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** The 128 bits of the typed ids in this package. */
public record Id128(long high, long low) implements Comparable<Id128> {

  public static Id128 random(RandomGenerator random) {
    return new Id128(random.nextLong(), random.nextLong());
  }

  /** Parses 32 hex digits; throws an {@link IllegalArgumentException} otherwise. */
  public static Id128 parse(String text) {
    String digits = text.toLowerCase(Locale.ROOT);
    if (digits.length() != 32 || !digits.chars().allMatch(HexFormat::isHexDigit)) {
      throw new IllegalArgumentException("An id must have 32 hex digits, but is '" + text + "'");
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

  /** The methods that a record gets are slow before the JIT compiles them at its highest level. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Id128 id && id.high == high && id.low == low;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(high) + Long.hashCode(low);
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
