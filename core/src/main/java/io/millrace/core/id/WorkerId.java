package io.millrace.core.id;

/** The name of a TaskManager process, given by whoever started it: a driver, a script, a test. */
public record WorkerId(String value) implements Comparable<WorkerId> {
  public WorkerId {
    if (value.isBlank() || value.length() > 255) {
      throw new IllegalArgumentException("A worker id has 1 to 255 characters: '" + value + "'");
    }
  }

  @Override
  public int compareTo(WorkerId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
