package com.example;

import io.millrace.api.StreamEnvironment;

/** Defines a stream and does not execute it. */
public final class RunsNothing {
  private RunsNothing() {}

  public static void main(String[] args) {
    StreamEnvironment.current().fromElements(1, 2, 3).print();
  }
}
