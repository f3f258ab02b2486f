package com.example;

import io.millrace.api.StreamEnvironment;

/** Slowly emits records that cannot be serialized. */
public final class Unwritable {
  private Unwritable() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(index -> index, 1000)
        .parallelism(1)
        .<Object>map(
            number -> {
              Thread.sleep(5);
              return Thread.currentThread();
            })
        .name("unwritable")
        .parallelism(1)
        .collect("hang")
        .toList();
  }
}
