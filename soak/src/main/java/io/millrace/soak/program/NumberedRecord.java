package io.millrace.soak.program;

import java.io.Serializable;

/**
 * A record of one of the sources.
 *
 * @param source {@code g} for the generator, {@code f} for the files
 * @param number unique and without gaps within its source
 * @param time event time in milliseconds
 */
record NumberedRecord(String source, long number, String key, long time) implements Serializable {
  private static final long serialVersionUID = 1L;

  static NumberedRecord generated(long number, int keys) {
    return new NumberedRecord("g", number, key(number, keys), number);
  }

  /** From a line {@code NUMBER TIME} of a file. */
  static NumberedRecord ofLine(String line, int keys) {
    int space = line.indexOf(' ');
    long number = Long.parseLong(line, 0, space, 10);
    return new NumberedRecord(
        "f", number, key(number, keys), Long.parseLong(line, space + 1, line.length(), 10));
  }

  private static String key(long number, int keys) {
    long mixed = number * 0x9E37_79B9_7F4A_7C15L;
    mixed = (mixed ^ mixed >>> 29) * 0xBF58_476D_1CE4_E5B9L;
    return "k" + (mixed >>> 33) % keys;
  }
}
