package io.millrace.bench.works;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;

/**
 * The jobs of W12: {@code SmallJobs <number>}. Each has one task, which sends a record a second.
 */
public final class SmallJobs {
  private SmallJobs() {}

  public static void main(String[] arguments) {
    int jobs = Integer.parseInt(arguments[0]);
    for (int i = 0; i < jobs; i++) {
      StreamEnvironment env = StreamEnvironment.current();
      env.generate(GeneratorSource.of(index -> index).perSecond(1.0))
          .sinkTo(new DiscardSink<>())
          .name("discard");
      env.executeAsync("small job " + i);
    }
  }
}
