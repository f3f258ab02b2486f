package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Option;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random memory options of a process. Sizes are close to each other, so that about half of the
 * configurations are legal.
 */
final class RandomSizes {
  private static final long MEBI = 1 << 20;
  private static final List<String> UNITS =
      List.of("", "b", " bytes", "k", "kb", " kibibytes", "m", "MB", "mebibytes", "g", " Gb", "t");
  private static final List<String> ODD_FRACTIONS =
      List.of("0", "1", "-0.1", "0.99999", "NaN", "1e-3", "0.4f", ".5", "", "half", "0.05000001");
  private static final List<String> ODD_SIZES =
      List.of(
          "0",
          "1",
          "-1",
          "1.5g",
          "",
          "2gib",
          "9223372036854775807",
          "8388607t",
          "8388608t",
          "12 q",
          "4611686018427387904b",
          "99999999999999999999",
          "33554433k");

  private final Random random;
  private final Map<String, String> entries = new LinkedHashMap<>();

  RandomSizes(long seed) {
    random = new Random(seed);
  }

  Map<String, String> entries() {
    return entries;
  }

  boolean happens(double probability) {
    return random.nextDouble() < probability;
  }

  /** Sets the option with the given probability to a value between the bounds. */
  RandomSizes size(double probability, Option<MemorySize> option, long minMebi, long maxMebi) {
    if (happens(probability)) {
      long bytes =
          minMebi * MEBI + (long) (random.nextDouble() * Math.max(0, maxMebi - minMebi) * MEBI);
      entries.put(option.key(), happens(0.02) ? pick(ODD_SIZES) : written(bytes));
    }
    return this;
  }

  RandomSizes exactly(double probability, Option<MemorySize> option, long bytes) {
    if (happens(probability)) {
      entries.put(option.key(), bytes + (happens(0.5) ? "b" : ""));
    }
    return this;
  }

  RandomSizes fraction(double probability, Option<Float> option, double max) {
    if (happens(probability)) {
      double exact = random.nextDouble() * max;
      entries.put(
          option.key(),
          happens(0.05)
              ? pick(ODD_FRACTIONS)
              : String.valueOf(happens(0.5) ? Math.round(exact * 100) / 100.0 : exact));
    }
    return this;
  }

  RandomSizes text(double probability, Option<?> option, List<String> values) {
    if (happens(probability)) {
      entries.put(option.key(), pick(values));
    }
    return this;
  }

  private String pick(List<String> values) {
    return values.get(random.nextInt(values.size()));
  }

  /** The size in a random unit, rounded down; only units in which the result is not 0. */
  private String written(long bytes) {
    for (; ; ) {
      String unit = pick(UNITS);
      long one = MemorySize.parse("1" + unit).bytes();
      if (bytes == 0 || bytes >= one * 4) {
        return bytes / one + unit;
      }
    }
  }
}
