package io.millrace.core.id;

import java.util.Objects;
import java.util.random.RandomGenerator;

/** One registration of a TaskManager at the ResourceManager; a re-registration gets a new one. */
public record InstanceId(Id128 value) implements Comparable<InstanceId> {
  public InstanceId {
    Objects.requireNonNull(value);
  }

  public static InstanceId random(RandomGenerator random) {
    return new InstanceId(Id128.random(random));
  }

  public static InstanceId parse(String text) {
    return new InstanceId(Id128.parse(text));
  }

  @Override
  public int compareTo(InstanceId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
