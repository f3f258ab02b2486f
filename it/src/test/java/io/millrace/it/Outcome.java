package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

/** How a command ended and what it wrote. */
record Outcome(String command, int code, List<String> out, List<String> err, Duration elapsed) {
  Outcome {
    out = List.copyOf(out);
    err = List.copyOf(err);
  }

  Outcome succeeded() {
    assertThat(code).as("%s", this).isZero();
    return this;
  }

  /** What a user who did something wrong gets: one line that says so, and no stack trace. */
  String refusedInOneLine() {
    assertThat(code).as("%s", this).isNotZero();
    List<String> complaints = err.stream().filter(line -> line.startsWith("millrace: ")).toList();
    assertThat(complaints).as("%s", this).hasSize(1);
    assertThat(err).as("%s", this).noneMatch(Outcome::isOfStackTrace);
    assertThat(out).as("%s", this).noneMatch(Outcome::isOfStackTrace);
    return complaints.get(0);
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
