package io.millrace.connector.files;

/**
 * The state of a writer of {@link FileSink}.
 *
 * @param next the number of the next part; all parts of the checkpoint have lower ones
 */
record WriterNumber(int subtask, long next) {
  WriterNumber {
    if (subtask < 0 || next < 0) {
      throw new IllegalArgumentException("subtask and next must be >= 0");
    }
  }
}
