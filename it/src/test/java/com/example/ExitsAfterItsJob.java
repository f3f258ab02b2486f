package com.example;

import io.millrace.api.StreamEnvironment;

/** Runs a job to its end and then ends its process with a code of its own. */
public final class ExitsAfterItsJob {
  private ExitsAfterItsJob() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.fromElements("grain", "water").print();
    env.execute("short");
    System.exit(Integer.parseInt(args[0]));
  }
}
