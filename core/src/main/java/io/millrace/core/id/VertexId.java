package io.millrace.core.id;

import java.util.Objects;
import java.util.random.RandomGenerator;

/** A vertex of a JobGraph: a chain of operators that run as one task. */
public record VertexId(Id128 value) implements Comparable<VertexId> {
  public VertexId {
    Objects.requireNonNull(value);
  }

  public static VertexId random(RandomGenerator random) {
    return new VertexId(Id128.random(random));
  }

  public static VertexId parse(String text) {
    return new VertexId(Id128.parse(text));
  }

  @Override
  public int compareTo(VertexId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
