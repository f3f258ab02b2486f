package io.millrace.api.source;

/** The contiguous range of a subtask: {@code from} inclusive, {@code to} exclusive. */
record SubtaskRange(long from, long to) {
  static SubtaskRange of(long total, SourceContext context) {
    return new SubtaskRange(
        start(total, context.subtask(), context.parallelism()),
        start(total, context.subtask() + 1, context.parallelism()));
  }

  /** The first {@code total % parallelism} ranges are one larger; no product can overflow. */
  private static long start(long total, int subtask, int parallelism) {
    return total / parallelism * subtask + Math.min(total % parallelism, subtask);
  }
}
