package com.example;

import io.millrace.api.CachedStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.core.config.RuntimeMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Uses a cached stream. The arguments are steps: {@code count:n} counts its words in a job that
 * reads it with parallelism n, {@code fill:n} runs another job on n slots, {@code await:file} waits
 * for a file, {@code invalidate} releases the records. The first argument is a file to which the
 * source appends a line per record, the second the parallelism of the computation.
 */
public final class CachesWords {
  private static final List<String> WORDS = List.of("mill", "weir", "grain", "flour");
  private static final int RECORDS = 40;

  private CachesWords() {}

  /** The cached record; only the program's jar has its class. */
  public record Word(String text, long number) {}

  public static void main(String[] args) {
    String reads = args[0];
    StreamEnvironment env = StreamEnvironment.current().runtimeMode(RuntimeMode.BATCH);
    CachedStream<Word> words =
        env.generate(index -> index, RECORDS)
            .parallelism(Integer.parseInt(args[1]))
            .map(index -> made(reads, index))
            .parallelism(Integer.parseInt(args[1]))
            .cache();
    for (String step : List.of(args).subList(2, args.length)) {
      String[] parts = step.split(":", 2);
      switch (parts[0]) {
        case "count" -> count(words, Integer.parseInt(parts[1]));
        case "fill" -> fill(env, Integer.parseInt(parts[1]));
        case "await" -> await(Path.of(parts[1]));
        case "invalidate" -> words.invalidate();
        default -> throw new IllegalArgumentException(step);
      }
      System.out.println("done " + step);
    }
  }

  private static Word made(String reads, long index) {
    try {
      Files.writeString(
          Path.of(reads), index + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Word(WORDS.get((int) (index % WORDS.size())), index);
  }

  private static void count(CachedStream<Word> words, int readers) {
    TreeMap<String, Long> counts = new TreeMap<>();
    words
        .parallelism(readers)
        .keyBy(Word::text)
        .count()
        .parallelism(readers)
        .collect("count in " + readers)
        .toList()
        .forEach(counted -> counts.merge(counted.key(), counted.count(), Long::sum));
    System.out.println(counts);
  }

  private static void fill(StreamEnvironment env, int slots) {
    env.generate(index -> index, slots).parallelism(slots).collect("fill " + slots).toList();
  }

  private static void await(Path file) {
    while (!Files.exists(file)) {
      LockSupport.parkNanos(20_000_000);
    }
  }
}
