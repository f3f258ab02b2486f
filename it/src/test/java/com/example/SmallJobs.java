package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;

/** Submits a number of jobs that run for ever, each with one task per subtask. */
public final class SmallJobs {
  private SmallJobs() {}

  public static void main(String[] arguments) {
    int jobs = Integer.parseInt(arguments[0]);
    for (int i = 0; i < jobs; i++) {
      StreamEnvironment env = StreamEnvironment.current();
      env.generate(GeneratorSource.of(index -> index).perSecond(1.0)).sinkTo(new DiscardSink<>());
      env.executeAsync("small job " + i);
    }
  }
}
