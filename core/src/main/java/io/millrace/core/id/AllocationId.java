package io.millrace.core.id;

import java.util.Objects;
import java.util.random.RandomGenerator;

/** One grant of a slot to a job, drawn by the ResourceManager. */
public record AllocationId(Id128 value) implements Comparable<AllocationId> {
  public AllocationId {
    Objects.requireNonNull(value);
  }

  public static AllocationId random(RandomGenerator random) {
    return new AllocationId(Id128.random(random));
  }

  public static AllocationId parse(String text) {
    return new AllocationId(Id128.parse(text));
  }

  @Override
  public int compareTo(AllocationId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
