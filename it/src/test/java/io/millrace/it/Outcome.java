package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

/** Exit code and output of a command. */
record Outcome(String command, int code, List<String> out, List<String> err, Duration elapsed) {
  Outcome {
    out = List.copyOf(out);
    err = List.copyOf(err);
  }

  Outcome succeeded() {
    assertThat(code).as("%s", this).isZero();
    return this;
  }

  /** The path that a successful {@code savepoint} or {@code stop} prints. */
  String savepointPath() {
    String prefix = "Savepoint completed. Path: ";
    return succeeded().out().stream()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No path: " + this));
  }

  /** Asserts an error of one line without a stack trace, and returns it. */
  String refusedInOneLine() {
    assertThat(code).as("%s", this).isNotZero();
    List<String> errorLines = err.stream().filter(line -> line.startsWith("millrace: ")).toList();
    assertThat(errorLines).as("%s", this).hasSize(1);
    assertThat(err).as("%s", this).noneMatch(Outcome::isOfStackTrace);
    assertThat(out).as("%s", this).noneMatch(Outcome::isOfStackTrace);
    return errorLines.get(0);
  }

  static boolean isOfStackTrace(String line) {
    return line.matches("\\s+at \\S+\\(.*\\)|\\s+\\.\\.\\. \\d+ .*|Caused by: .*");
  }

  @Override
  public String toString() {
    return command
        + "\nexit code "
        + code
        + " after "
        + elapsed.toMillis()
        + " ms\n--- out\n"
        + String.join("\n", out)
        + "\n--- err\n"
        + String.join("\n", err);
  }
}
