package io.millrace.core.id;

import java.util.Objects;
import java.util.random.RandomGenerator;

/** An operator of a program; constant across runs, so that its state can be assigned to it. */
public record OperatorId(Id128 value) implements Comparable<OperatorId> {
  public OperatorId {
    Objects.requireNonNull(value);
  }

  public static OperatorId random(RandomGenerator random) {
    return new OperatorId(Id128.random(random));
  }

  public static OperatorId parse(String text) {
    return new OperatorId(Id128.parse(text));
  }

  @Override
  public int compareTo(OperatorId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
