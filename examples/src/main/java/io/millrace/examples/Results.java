package io.millrace.examples;

import io.millrace.api.CollectedRecords;
import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What an example does with its lines. */
final class Results {
  private Results() {}

  /** Runs the job; writes the lines into the directory {@code --output} or prints them here. */
  static void deliver(
      StreamEnvironment env, DataStream<String> lines, Arguments arguments, String job) {
    Optional<String> output = arguments.find("--output");
    if (output.isPresent()) {
      lines.sinkTo(TextFileSink.to(output.get()));
      env.execute(job);
      return;
    }
    try (CollectedRecords<String> records = lines.collect(job)) {
      // System.out alone would make a system call for every line.
      PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
      records.forEachRemaining(out::println);
      out.flush();
    }
  }
}
