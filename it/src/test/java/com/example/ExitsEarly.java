package com.example;

import io.millrace.api.StreamEnvironment;

/** Exits with code 0 while its job runs. */
public final class ExitsEarly {
  private ExitsEarly() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(index -> index).map(index -> index + 1).print();
    env.executeAsync("endless");
    System.exit(0);
  }
}
