package io.millrace.api.sink;

/**
 * The state of a writer of {@link TextFileSink}.
 *
 * @param next the number of the next part; all parts of the checkpoint have lower ones
 */
record PartNumber(int subtask, long next) {
  PartNumber {
    if (subtask < 0 || next < 0) {
      throw new IllegalArgumentException("subtask and next must be >= 0");
    }
  }
}
