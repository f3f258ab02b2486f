package io.millrace.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Laws of profiles, for random ones that often have equal parts. A failure shows the seed. */
class ResourceProfilePropertiesTest {
  private static final int SEEDS = 3_000;

  private static ResourceProfile any(Random random) {
    Map<String, Long> external = new TreeMap<>();
    for (String name : List.of("gpu", "fpga")) {
      if (random.nextInt(3) == 0) {
        external.put(name, (long) random.nextInt(4));
      }
    }
    return new ResourceProfile(
        random.nextInt(5) / 4.0,
        random.nextInt(3) * 1024L,
        random.nextInt(3) * 512L,
        random.nextInt(3) * 256L,
        random.nextInt(2) * 128L,
        external);
  }

  private static List<ResourceProfile> three(long seed) {
    Random random = new Random(seed);
    return List.of(any(random), any(random), any(random));
  }

  @Test
  void orderIsTotalAndAgreesWithEquality() {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<ResourceProfile> of = three(seed);
      ResourceProfile a = of.get(0);
      ResourceProfile b = of.get(1);
      ResourceProfile c = of.get(2);

      assertThat(Integer.signum(a.compareTo(b)))
          .as("seed %d", seed)
          .isEqualTo(-Integer.signum(b.compareTo(a)));
      assertThat(a.compareTo(b) == 0).as("seed %d: %s and %s", seed, a, b).isEqualTo(a.equals(b));
      if (a.compareTo(b) <= 0 && b.compareTo(c) <= 0) {
        assertThat(a.compareTo(c)).as("seed %d", seed).isLessThanOrEqualTo(0);
      }
      List<ResourceProfile> sorted = new ArrayList<>(of);
      Collections.sort(sorted);
      List<ResourceProfile> reversed = new ArrayList<>(List.of(c, b, a));
      Collections.sort(reversed);
      assertThat(sorted).as("seed %d", seed).isEqualTo(reversed);
    }
  }

  @Test
  void profileThatFitsIntoAnotherComesBeforeIt() {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<ResourceProfile> of = three(seed);

      if (of.get(0).fits(of.get(1))) {
        assertThat(of.get(1).compareTo(of.get(0))).as("seed %d", seed).isLessThanOrEqualTo(0);
      }
      assertThat(of.get(0).fits(of.get(0))).isTrue();
      if (of.get(0).fits(of.get(1)) && of.get(1).fits(of.get(2))) {
        assertThat(of.get(0).fits(of.get(2))).as("seed %d", seed).isTrue();
      }
    }
  }

  @Test
  void sumFitsItsPartsAndLosesThemAgain() {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<ResourceProfile> of = three(seed);
      ResourceProfile a = of.get(0);
      ResourceProfile b = of.get(1);
      ResourceProfile sum = a.plus(b);

      assertThat(sum).as("seed %d", seed).isEqualTo(b.plus(a));
      assertThat(sum.plus(of.get(2))).isEqualTo(a.plus(b.plus(of.get(2))));
      assertThat(sum.fits(a) && sum.fits(b)).as("seed %d", seed).isTrue();
      assertThat(sum.minus(b)).as("seed %d: %s and %s", seed, a, b).isEqualTo(a);
      assertThat(sum.memory()).isEqualTo(a.memory() + b.memory());
    }
  }

  /** A worker is filled with slots of one size: this many, and no more. */
  @Test
  void holdsIsTheNumberOfTimesThatAPartCanBeTakenAway() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      ResourceProfile part = any(random);
      ResourceProfile whole = any(random).times(1 + random.nextInt(4)).plus(any(random));
      if (part.isUnspecified() || part.equals(part.minus(part))) {
        continue;
      }
      int taken = 0;
      ResourceProfile left = whole;
      while (left.fits(part)) {
        left = left.minus(part);
        taken++;
      }

      assertThat(whole.holds(part)).as("seed %d: %s in %s", seed, part, whole).isEqualTo(taken);
      if (taken > 0) {
        assertThat(whole.fits(part.times(taken))).as("seed %d", seed).isTrue();
        assertThat(whole.fits(part.times(taken + 1))).as("seed %d", seed).isFalse();
      }
    }
  }

  @Test
  void partsOfADividedProfileFitIntoIt() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      ResourceProfile whole = any(random).plus(any(random));
      int parts = 1 + random.nextInt(7);
      ResourceProfile each = whole.dividedBy(parts);

      assertThat(whole.fits(each.times(parts))).as("seed %d", seed).isTrue();
      assertThat(whole.holds(each)).as("seed %d", seed).isGreaterThanOrEqualTo(parts);
    }
  }

  @Test
  void shareIsTheLargestPartOfAnyResourceAndAtMostOne() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      ResourceProfile whole = any(random).plus(any(random));
      ResourceProfile part = any(random);
      double share = whole.share(part);

      assertThat(share).as("seed %d", seed).isBetween(0.0, 1.0);
      if (whole.fits(part)) {
        double largest =
            Collections.max(
                List.of(
                    ratio(part.cpuCores(), whole.cpuCores()),
                    ratio(part.taskHeap(), whole.taskHeap()),
                    ratio(part.taskOffHeap(), whole.taskOffHeap()),
                    ratio(part.managed(), whole.managed()),
                    ratio(part.network(), whole.network()),
                    ratio(part.count("gpu"), whole.count("gpu")),
                    ratio(part.count("fpga"), whole.count("fpga"))));
        assertThat(share).as("seed %d: %s of %s", seed, part, whole).isEqualTo(largest);
      } else {
        assertThat(share).as("seed %d: %s of %s", seed, part, whole).isEqualTo(1);
      }
    }
  }

  private static double ratio(double part, double whole) {
    return part == 0 ? 0 : part / whole;
  }

  private static double ratio(long part, long whole) {
    return ratio((double) part, (double) whole);
  }
}
