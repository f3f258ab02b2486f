package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job that computes without end, and logs and prints now and then. */
public final class LogsWork {
  private static final Logger LOG = LoggerFactory.getLogger(LogsWork.class);
  private static final int RECORDS_PER_LINE = 2_000;
  private static final int ROUNDS = 20_000;

  private LogsWork() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(index -> index).map(LogsWork::work).name("work").sinkTo(new DiscardSink<>());
    env.execute("logs work");
  }

  private static long work(long number) {
    long sum = number;
    // In compiled loops with a constant stride the JVM of a TaskManager reads no stacks.
    int stride = 1 + (int) (number % 2);
    for (int i = 0; i < ROUNDS; i += stride) {
      sum = 31 * sum + i;
    }
    if (number % RECORDS_PER_LINE == 0) {
      LOG.info("Worked on {}", number);
      LOG.debug("The result is {}", sum);
      System.out.println("Printed by user code");
    }
    return sum;
  }
}
