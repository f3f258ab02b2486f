package com.example;

import io.millrace.api.StreamEnvironment;

/** Reads the numbers of a file, one a line; a second argument puts an exchange in between. */
public final class ParsesNumbers {
  private ParsesNumbers() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    var lines = env.readText(args[0]);
    (args.length > 1 ? lines.rebalance() : lines).map(Integer::parseInt).name("parse").print();
    env.execute("numbers");
  }
}
