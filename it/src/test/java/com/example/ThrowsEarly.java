package com.example;

import io.millrace.api.StreamEnvironment;

/** Throws while its job runs. */
public final class ThrowsEarly {
  private ThrowsEarly() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(index -> index).map(index -> index + 1).print();
    env.executeAsync("endless");
    throw new IllegalStateException("too early");
  }
}
