package com.example;

import io.millrace.api.CollectedRecords;
import io.millrace.api.StreamEnvironment;
import java.util.List;

/** Runs the given number of jobs, one after the other, on records of its own class. */
public final class ManyJobs {
  private static final int RECORDS = 200;

  private ManyJobs() {}

  /** The record class, for which the engine generates a serializer. */
  public record Reading(String sensor, int number, double value) {}

  public static void main(String[] args) {
    int jobs = Integer.parseInt(args[0]);
    for (int i = 0; i < jobs; i++) {
      StreamEnvironment env = StreamEnvironment.current();
      try (CollectedRecords<Reading> records =
          env.generate(
                  index -> new Reading("sensor-" + index % 7, (int) index, index / 3.0), RECORDS)
              .rebalance()
              .keyBy(Reading::sensor)
              .reduce((a, b) -> new Reading(a.sensor(), a.number() + b.number(), b.value()))
              .collect("job " + i)) {
        List<Reading> collected = records.toList();
        if (collected.size() < 7) {
          throw new IllegalStateException("Job " + i + " gave " + collected);
        }
      }
    }
    System.out.println(jobs + " jobs have finished");
  }
}
