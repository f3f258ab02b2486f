package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.error.MillraceException;
import java.math.BigDecimal;

/** A part of a process that is a fraction of a total, limited by a minimum and a maximum. */
final class MemoryFraction {
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

  private final double fraction;
  private final DerivedSize min;
  private final DerivedSize max;

  private MemoryFraction(float fraction, DerivedSize min, DerivedSize max) {
    if (min.bytes() > max.bytes()) {
      throw DerivedSize.contradiction(
          min + " is larger than " + max + ". Lower the first or raise the second.");
    }
    this.fraction = fraction;
    this.min = min;
    this.max = max;
  }

  static MemoryFraction of(
      Configuration configuration,
      Option<Float> fraction,
      Option<MemorySize> min,
      Option<MemorySize> max) {
    return new MemoryFraction(
        configuration.get(fraction),
        DerivedSize.of(configuration, min),
        DerivedSize.of(configuration, max));
  }

  static MemoryFraction of(Configuration configuration, Option<Float> fraction) {
    return new MemoryFraction(
        configuration.get(fraction),
        new DerivedSize("nothing", 0),
        new DerivedSize("everything", Long.MAX_VALUE));
  }

  /** The part of a total that includes it. */
  long of(DerivedSize whole) {
    return within(times(whole, fraction));
  }

  /** The part that, added to the rest, gives the total of which it is a fraction. */
  long besides(DerivedSize rest) {
    return within(times(rest, fraction / (1 - fraction)));
  }

  /** Rejects a part that is the rest of a total and outside of the limits. */
  long checked(DerivedSize rest) {
    if (rest.bytes() < min.bytes() || rest.bytes() > max.bytes()) {
      throw DerivedSize.contradiction(
          rest + " is the rest, but it must be between " + min + " and " + max + ".");
    }
    return rest.bytes();
  }

  private long within(long bytes) {
    return Math.min(Math.max(bytes, min.bytes()), max.bytes());
  }

  /** Exact in decimal, then truncated: binary rounding could change the result by one byte. */
  private static long times(DerivedSize whole, double factor) {
    BigDecimal product = BigDecimal.valueOf(whole.bytes()).multiply(BigDecimal.valueOf(factor));
    if (product.compareTo(LARGEST) > 0) {
      throw tooLarge(whole);
    }
    return product.longValue();
  }

  private static MillraceException tooLarge(DerivedSize whole) {
    return DerivedSize.contradiction(whole + " is too large. Lower it.");
  }
}
