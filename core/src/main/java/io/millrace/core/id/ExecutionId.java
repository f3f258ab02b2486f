package io.millrace.core.id;

import java.util.Objects;
import java.util.random.RandomGenerator;

/** One attempt to run one subtask; a restarted subtask gets a new one. */
public record ExecutionId(Id128 value) implements Comparable<ExecutionId> {
  public ExecutionId {
    Objects.requireNonNull(value);
  }

  public static ExecutionId random(RandomGenerator random) {
    return new ExecutionId(Id128.random(random));
  }

  public static ExecutionId parse(String text) {
    return new ExecutionId(Id128.parse(text));
  }

  @Override
  public int compareTo(ExecutionId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
