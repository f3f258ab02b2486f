package io.millrace.examples;

import io.millrace.api.function.Collector;
import io.millrace.api.function.FlatMapFunction;

/**
 * Splits lines into words: maximal sequences of ASCII letters and digits, in lower case. Equivalent
 * to {@code tr 'A-Z' 'a-z' | tr -cs 'a-z0-9' '\n'} in the C locale.
 */
final class Words implements FlatMapFunction<String, String> {
  private static final long serialVersionUID = 1L;

  @Override
  public void flatMap(String line, Collector<String> out) {
    int length = line.length();
    int i = 0;
    while (i < length) {
      if (!isPart(line.charAt(i))) {
        i++;
        continue;
      }
      int start = i;
      boolean lower = true;
      for (; i < length && isPart(line.charAt(i)); i++) {
        lower &= !isUpper(line.charAt(i));
      }
      out.emit(lower ? line.substring(start, i) : lowered(line, start, i));
    }
  }

  private static String lowered(String line, int start, int end) {
    char[] word = new char[end - start];
    for (int i = start; i < end; i++) {
      char c = line.charAt(i);
      word[i - start] = isUpper(c) ? (char) (c + ('a' - 'A')) : c;
    }
    return new String(word);
  }

  private static boolean isPart(char c) {
    return c >= 'a' && c <= 'z' || isUpper(c) || c >= '0' && c <= '9';
  }

  private static boolean isUpper(char c) {
    return c >= 'A' && c <= 'Z';
  }
}
