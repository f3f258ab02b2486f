package io.millrace.task.checkpoint;

/** Consecutive key groups: {@code first} inclusive, {@code end} exclusive. */
public record KeyGroupRange(int first, int end) {
  public KeyGroupRange {
    if (first < 0 || end < first) {
      throw new IllegalArgumentException(
          "first must be >= 0 and end >= first, not " + first + " and " + end);
    }
  }

  /** The groups of a subtask; the inverse of {@code KeyGroups.subtaskOf}. */
  public static KeyGroupRange of(int maxParallelism, int parallelism, int subtask) {
    if (subtask < 0 || subtask >= parallelism || parallelism > maxParallelism) {
      throw new IllegalArgumentException(
          "subtask %d, parallelism %d, max parallelism %d"
              .formatted(subtask, parallelism, maxParallelism));
    }
    return new KeyGroupRange(
        firstOf(maxParallelism, parallelism, subtask),
        firstOf(maxParallelism, parallelism, subtask + 1));
  }

  private static int firstOf(int maxParallelism, int parallelism, int subtask) {
    return Math.toIntExact(((long) subtask * maxParallelism + parallelism - 1) / parallelism);
  }

  public boolean contains(int group) {
    return group >= first && group < end;
  }

  public boolean intersects(KeyGroupRange other) {
    return Math.max(first, other.first) < Math.min(end, other.end);
  }

  public int size() {
    return end - first;
  }
}
