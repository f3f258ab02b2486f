package io.millrace.core.id;

import java.util.Objects;
import java.util.random.RandomGenerator;

/** A cached result that outlives the job that computes it. It does not depend on the job. */
public record DataSetId(Id128 value) implements Comparable<DataSetId> {
  public DataSetId {
    Objects.requireNonNull(value);
  }

  public static DataSetId random(RandomGenerator random) {
    return new DataSetId(Id128.random(random));
  }

  public static DataSetId parse(String text) {
    return new DataSetId(Id128.parse(text));
  }

  @Override
  public int compareTo(DataSetId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
