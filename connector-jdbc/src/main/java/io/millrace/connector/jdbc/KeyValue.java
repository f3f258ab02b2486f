package io.millrace.connector.jdbc;

import java.math.BigInteger;
import java.time.Instant;

/**
 * The value of a key column: a number, or a time as seconds and nanoseconds since 1970.
 *
 * @param nanos 0 for numbers
 */
record KeyValue(long units, int nanos) {
  private static final BigInteger NANOS = BigInteger.valueOf(1_000_000_000);

  KeyValue {
    if (nanos < 0 || nanos >= 1_000_000_000) {
      throw new IllegalArgumentException("nanos must be between 0 and 999999999");
    }
  }

  static KeyValue of(long number) {
    return new KeyValue(number, 0);
  }

  static KeyValue of(Instant time) {
    return new KeyValue(time.getEpochSecond(), time.getNano());
  }

  /**
   * The start of a part, if the range from this to {@code last} is divided into equal parts.
   *
   * @param step the smallest distance of two values in nanoseconds
   */
  KeyValue partStart(KeyValue last, int part, int parts, BigInteger step) {
    BigInteger from = inNanos();
    BigInteger steps = last.inNanos().subtract(from).divide(step).add(BigInteger.ONE);
    BigInteger offset =
        steps.multiply(BigInteger.valueOf(part)).divide(BigInteger.valueOf(parts)).multiply(step);
    BigInteger[] start = floorDivide(from.add(offset));
    return new KeyValue(start[0].longValueExact(), start[1].intValueExact());
  }

  /** How many values there are from this to {@code last}. */
  BigInteger count(KeyValue last, BigInteger step) {
    return last.inNanos().subtract(inNanos()).divide(step).add(BigInteger.ONE);
  }

  private static BigInteger[] floorDivide(BigInteger nanos) {
    BigInteger[] parts = nanos.divideAndRemainder(NANOS);
    return parts[1].signum() < 0
        ? new BigInteger[] {parts[0].subtract(BigInteger.ONE), parts[1].add(NANOS)}
        : parts;
  }

  private BigInteger inNanos() {
    return BigInteger.valueOf(units).multiply(NANOS).add(BigInteger.valueOf(nanos));
  }
}
