package io.millrace.core.id;

/** The name of a TaskManager process, chosen by the driver, script or test that starts it. */
public record WorkerId(String value) implements Comparable<WorkerId> {
  public WorkerId {
    if (value.isBlank() || value.length() > 255) {
      throw new IllegalArgumentException(
          "A worker id must have 1 to 255 characters, but is '" + value + "'");
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
