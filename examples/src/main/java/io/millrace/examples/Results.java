package io.millrace.examples;

import io.millrace.api.CollectedRecords;
import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The output of an example. */
final class Results {
  private Results() {}

  /** Runs the job; writes the lines to the directory {@code --output} or prints them. */
  static void deliver(
      StreamEnvironment env, DataStream<String> lines, Arguments arguments, String job) {
    Optional<String> output = arguments.find("--output");
    if (output.isPresent()) {
      lines.sinkTo(TextFileSink.to(output.get())).uid("output");
      env.execute(job);
      return;
    }
    try (CollectedRecords<String> records = lines.collect(job)) {
      // System.out without a buffer would make a system call per line.
      PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
      records.forEachRemaining(out::println);
      out.flush();
    }
  }
}
