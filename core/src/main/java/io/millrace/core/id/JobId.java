package io.millrace.core.id;

import java.util.Objects;
import java.util.random.RandomGenerator;

/** A submitted job; constant across restarts and leaders. */
public record JobId(Id128 value) implements Comparable<JobId> {
  public JobId {
    Objects.requireNonNull(value);
  }

  public static JobId random(RandomGenerator random) {
    return new JobId(Id128.random(random));
  }

  public static JobId parse(String text) {
    return new JobId(Id128.parse(text));
  }

  @Override
  public int compareTo(JobId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
