package com.example;

import io.millrace.api.StreamEnvironment;

/** Parses the numbers of a file, one per line. A second argument adds an exchange. */
public final class ParsesNumbers {
  private ParsesNumbers() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    var lines = env.readText(args[0]);
    (args.length > 1 ? lines.rebalance() : lines).map(Integer::parseInt).name("parse").print();
    env.execute("numbers");
  }
}
