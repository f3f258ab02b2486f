package com.example;

import io.millrace.api.CollectedRecords;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.MapFunction;
import java.time.Duration;

/** A job whose function emits the delegation token of its process, and the next one. */
public final class TokenJob {
  private static final Duration BOUND = Duration.ofMinutes(2);

  private TokenJob() {}

  private static final class Waiting implements MapFunction<Long, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String map(Long record) {
      String first = token();
      long end = System.nanoTime() + BOUND.toNanos();
      while (token().equals(first) && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      return first + " then " + (token().equals(first) ? "no other" : token());
    }

    private static String token() {
      return System.getProperty("granary.token", "none");
    }
  }

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    int subtasks = Integer.parseInt(args[0]);
    try (CollectedRecords<String> seen =
        env.generate(index -> index, subtasks)
            .parallelism(subtasks)
            .map(new Waiting())
            .parallelism(subtasks)
            .collect("tokens")) {
      seen.forEachRemaining(System.out::println);
    }
  }
}
