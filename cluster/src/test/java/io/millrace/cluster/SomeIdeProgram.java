package io.millrace.cluster;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import io.millrace.core.config.CoreOptions;

/** A program that is started in an IDE; {@link IdeRunTest} runs it. */
final class SomeIdeProgram {
  private SomeIdeProgram() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    System.out.println("parallelism " + env.configuration().get(CoreOptions.DEFAULT_PARALLELISM));
    env.generate(index -> index, 1000)
        .keyBy(index -> index % 7)
        .count()
        .sinkTo(new DiscardSink<>());
    System.out.println(env.execute("numbers").status());
  }
}
