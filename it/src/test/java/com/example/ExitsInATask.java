package com.example;

import io.millrace.api.StreamEnvironment;

/** Calls System.exit in a task. */
public final class ExitsInATask {
  private ExitsInATask() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.fromElements("a", "b").map(ExitsInATask::exit).print();
    env.execute("exits");
  }

  private static String exit(String word) {
    System.exit(0);
    return word;
  }
}
