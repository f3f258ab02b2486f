package io.millrace.bench.load;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Deterministic text: sentences of ten words from a vocabulary of 5000 with a skewed distribution.
 */
public final class Text {
  public static final int WORDS_PER_SENTENCE = 10;
  public static final int SENTENCES = 1 << 12;
  private static final int VOCABULARY = 5000;

  private Text() {}

  public static String[] sentences() {
    SplittableRandom random = new SplittableRandom(42);
    String[] words = new String[VOCABULARY];
    for (int i = 0; i < VOCABULARY; i++) {
      StringBuilder word = new StringBuilder();
      int length = 3 + random.nextInt(8);
      for (int c = 0; c < length; c++) {
        word.append((char) ('a' + random.nextInt(26)));
      }
      words[i] = word.toString();
    }
    String[] sentences = new String[SENTENCES];
    for (int i = 0; i < SENTENCES; i++) {
      StringBuilder line = new StringBuilder();
      for (int w = 0; w < WORDS_PER_SENTENCE; w++) {
        double u = random.nextDouble();
        line.append(w == 0 ? "" : " ").append(words[(int) (u * u * VOCABULARY)]);
      }
      sentences[i] = line.toString();
    }
    return sentences;
  }

  /** Writes about {@code bytes} bytes of sentences and returns the number of words. */
  public static long write(Path file, long bytes) throws IOException {
    String[] sentences = sentences();
    long words = 0;
    long written = 0;
    try (Writer out = Files.newBufferedWriter(file)) {
      for (int i = 0; written < bytes; i = (i + 1) % SENTENCES) {
        out.write(sentences[i]);
        out.write('\n');
        written += sentences[i].length() + 1;
        words += WORDS_PER_SENTENCE;
      }
    }
    return words;
  }

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    Files.createDirectories(file.getParent());
    write(file, 1 << 20);
  }
}
