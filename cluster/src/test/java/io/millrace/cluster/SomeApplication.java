package io.millrace.cluster;

import io.millrace.api.StreamEnvironment;

/** Executes a job for each argument; {@code throw} throws, {@code async} does not wait. */
public final class SomeApplication {
  private SomeApplication() {}

  public static void main(String[] arguments) {
    boolean async = false;
    for (String argument : arguments) {
      if (argument.equals("throw")) {
        throw new IllegalStateException("main has failed");
      } else if (argument.equals("async")) {
        async = true;
      } else {
        StreamEnvironment env = StreamEnvironment.current();
        env.fromElements(1, 2, 3).print();
        if (async) {
          env.executeAsync(argument);
        } else {
          env.execute(argument);
        }
      }
    }
  }
}
