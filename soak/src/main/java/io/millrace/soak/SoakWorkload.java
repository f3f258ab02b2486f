package io.millrace.soak;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the job reads.
 *
 * @param generated the number of generated records
 * @param keys the number of keys
 */
record SoakWorkload(long generated, int keys) {
  /** Event time between two lines; the file spans the event time of the generator. */
  private static final long LINE_MILLIS = 20;

  long lines() {
    return generated / LINE_MILLIS;
  }

  long lineTime(long number) {
    return number * LINE_MILLIS;
  }

  void writeLines(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (long number = 0; number < lines(); number++) {
        out.write(number + " " + lineTime(number) + "\n");
      }
    }
  }

  String keyOf(long number) {
    long mixed = number * 0x9E3779B97F4A7C15L;
    mixed ^= mixed >>> 29;
    mixed *= 0xBF58476D1CE4E5B9L;
    return "k" + Long.remainderUnsigned(mixed >>> 33, keys);
  }
}
