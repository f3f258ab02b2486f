package io.millrace.examples;

import io.millrace.api.CollectedRecords;
import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import io.millrace.core.config.RuntimeMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Counts the words of a text and gives each once with its count, as {@code word<TAB>count}.
 *
 * <p>{@code --input FILE} reads a file or a directory of files instead of the bundled text; {@code
 * --output DIR} writes the counts into a directory instead of printing them.
 */
public final class WordCount {
  private static final String JOB = "word count";

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

    Optional<String> output = arguments.find("--output");
    if (output.isPresent()) {
      counts.sinkTo(TextFileSink.to(output.get()));
      env.execute(JOB);
      return;
    }
    try (CollectedRecords<String> records = counts.collect(JOB)) {
      // System.out alone would make a system call for every word.
      PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
      records.forEachRemaining(out::println);
      out.flush();
    }
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
