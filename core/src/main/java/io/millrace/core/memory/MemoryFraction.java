package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.error.MillraceException;
import java.math.BigDecimal;

/** A part of a process that is a fraction of a whole, but neither too small nor too large. */
final class MemoryFraction {
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

  private final double fraction;
  private final DerivedSize min;
  private final DerivedSize max;

  private MemoryFraction(float fraction, DerivedSize min, DerivedSize max) {
    if (min.bytes() > max.bytes()) {
      throw DerivedSize.contradiction(
          min + " is more than " + max + ". Lower the first or raise the second.");
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

  /** The share of a whole that includes it. */
  long of(DerivedSize whole) {
    return within(times(whole, fraction));
  }

  /** The share that, added to the rest, makes the whole of which it is a fraction. */
  long besides(DerivedSize rest) {
    return within(times(rest, fraction / (1 - fraction)));
  }

  /** Refuses a part that was not derived from the fraction but left over by the others. */
  long checked(DerivedSize rest) {
    if (rest.bytes() < min.bytes() || rest.bytes() > max.bytes()) {
      throw DerivedSize.contradiction(
          rest + " is left, but it must lie between " + min + " and " + max + ".");
    }
    return rest.bytes();
  }

  private long within(long bytes) {
    return Math.min(Math.max(bytes, min.bytes()), max.bytes());
  }

  /** Exact in decimal, then cut off: binary rounding would make a byte's difference. */
  private static long times(DerivedSize whole, double factor) {
    BigDecimal product = BigDecimal.valueOf(whole.bytes()).multiply(BigDecimal.valueOf(factor));
    if (product.compareTo(LARGEST) > 0) {
      throw tooLarge(whole);
    }
    return product.longValue();
  }

  private static MillraceException tooLarge(DerivedSize whole) {
    return DerivedSize.contradiction(whole + " is more than can be divided. Lower it.");
  }
}
