package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.CountsExactly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Command lines of {@link CountsExactly} and the verification of its result. */
final class ExactCounts {
  static final int KEYS = 10;
  static final int PER_KEY = 20_000;

  /** The job would take hours at this rate; the test ends it at another one. */
  static final String SLOW = "50";

  static final String FAST = "10000000";

  /** Options of a job that survives any number of failures. */
  static final List<String> RESTARTS =
      List.of(
          "-D",
          "execution.checkpointing.tolerable-failed-checkpoints=100",
          "-D",
          "restart-strategy.type=fixed-delay",
          "-D",
          "restart-strategy.fixed-delay.attempts=100",
          "-D",
          "restart-strategy.fixed-delay.delay=100 ms");

  private final Path counts;
  private final Path program;

  ExactCounts(Path directory) throws IOException {
    counts = Files.createTempDirectory(directory, "counts");
    program = ProgramJar.of(directory, CountsExactly.class);
  }

  String[] job(String rate, String... options) {
    return job(rate, List.of(options));
  }

  String[] job(String rate, List<String> options) {
    List<String> line = new ArrayList<>(options);
    line.addAll(
        List.of(
            program.toString(),
            counts.toString(),
            String.valueOf(KEYS * PER_KEY),
            String.valueOf(KEYS),
            rate));
    return line.toArray(String[]::new);
  }

  /** Each key was counted exactly as often as it was generated. */
  void assertExact() throws IOException {
    try (Stream<Path> files = Files.list(counts)) {
      assertThat(files.map(file -> file.getFileName().toString()).sorted())
          .containsExactlyElementsOf(
              Stream.iterate(0, key -> key + 1)
                  .limit(KEYS)
                  .map(key -> key + "-" + PER_KEY)
                  .toList());
    }
  }
}
