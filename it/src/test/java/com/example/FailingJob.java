package com.example;

import io.millrace.api.StreamEnvironment;

/** A job whose function throws. */
public final class FailingJob {
  private FailingJob() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.fromElements("grain", "stone", "water").map(FailingJob::mill).print();
    env.execute("failing");
  }

  private static String mill(String word) {
    if (word.equals("stone")) {
      throw new IllegalStateException("cannot mill a stone");
    }
    return word;
  }
}
