package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.core.config.RuntimeMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Counts the words of a text and emits each word once with its count, as {@code word<TAB>count}.
 *
 * <p>{@code --input FILE} reads a file or a directory of files instead of the bundled text. {@code
 * --output DIR} writes the counts to a directory instead of printing them.
 */
public final class WordCount {
  private WordCount() {}

  public static void main(String[] args) {
    Arguments arguments = Arguments.parse(args, List.of("--input", "--output"), List.of());
    StreamEnvironment env = StreamEnvironment.current().runtimeMode(RuntimeMode.BATCH);

    DataStream<String> lines =
        arguments
            .find("--input")
            .map(env::readText)
            .orElseGet(() -> env.fromCollection(bundledText()));
    DataStream<String> counts =
        lines
            .flatMap(new Words())
            .name("words")
            .keyBy(word -> word)
            .count()
            .map(counted -> counted.key() + "\t" + counted.count())
            .name("format");

    Results.deliver(env, counts, arguments, "word count");
  }

  private static List<String> bundledText() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                WordCount.class.getResourceAsStream("the-mill.txt"), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("The bundled text cannot be read", e);
    }
  }
}
