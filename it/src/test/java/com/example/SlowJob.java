package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;

/** A job with a slow function: {@code sleeps} or {@code spins}. */
public final class SlowJob {
  private SlowJob() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    boolean spins = args[0].equals("spins");
    env.generate(index -> index)
        .map(number -> spins ? spin(number) : sleep(number))
        .name("slow")
        .sinkTo(new DiscardSink<>());
    env.execute("slow");
  }

  private static long sleep(long number) throws InterruptedException {
    Thread.sleep(1000);
    return number;
  }

  /** Never returns and ignores interrupts. */
  private static long spin(long number) {
    long sum = number;
    while (sum >= 0) {
      sum = (sum + 1) & Long.MAX_VALUE;
    }
    return sum;
  }
}
