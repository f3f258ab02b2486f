package io.millrace.cli;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.source.GeneratorSource;
import java.util.Arrays;

/** The program of the tests of commands. Its first argument selects what it does. */
public final class TestProgram {
  private TestProgram() {}

  public static void main(String[] arguments) {
    StreamEnvironment env = StreamEnvironment.current();
    switch (arguments.length == 0 ? "" : arguments[0]) {
      case "job" -> {
        env.fromElements(1, 2, 3).map(x -> x + 1).print();
        env.execute(arguments[1]);
      }
      case "async" -> {
        env.fromElements(1).print();
        env.executeAsync(arguments[1]);
      }
      case "async-then-throw" -> {
        env.fromElements(1).print();
        env.executeAsync(arguments[1]);
        throw new IllegalStateException("after the job");
      }
      case "cancel" -> {
        env.fromElements(1).print();
        env.executeAsync(arguments[1]).cancel().join();
      }
      case "cache" -> {
        env.fromElements(1).cache().print();
        env.execute(arguments[1]);
      }
      case "uid" -> {
        env.generate(GeneratorSource.of(index -> index).count(3)).uid(arguments[2]).print();
        env.execute(arguments[1]);
      }
      case "jobs" -> {
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
          env.fromElements(1).print();
          env.execute("job " + i);
        }
      }
      case "collect" -> {
        System.out.print(env.fromElements(1).collect("first").toList().size());
        env.fromElements(2).print();
        env.execute("second");
      }
      case "throw" -> throw new IllegalStateException("no\n  luck");
      case "arguments" -> System.out.println(Arrays.toString(arguments));
      default -> {
        // Ends without a job.
      }
    }
  }
}
