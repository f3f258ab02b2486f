package io.millrace.api.source;

/**
 * The lines of a file that start at {@code next} or later and before {@code to}.
 *
 * @param from where the split starts; it does not change while the split is read
 * @param next the offset of the next line; {@code from} before the first one
 * @see TextFileSource
 */
public record TextFileSplit(String file, long from, long next, long to) implements SourceSplit {
  /** A split that was not read yet. */
  TextFileSplit(String file, long from, long to) {
    this(file, from, from, to);
  }

  @Override
  public String splitId() {
    return file + " from " + from;
  }
}
