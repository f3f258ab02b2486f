package com.example;

import io.millrace.api.StreamEnvironment;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a job until it ends and then exits with its own exit code. With a second argument it has a
 * shutdown hook that never ends.
 */
public final class ExitsAfterItsJob {
  private ExitsAfterItsJob() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.fromElements("grain", "water").print();
    env.execute("short");
    if (args.length > 1) {
      Runtime.getRuntime().addShutdownHook(new Thread(ExitsAfterItsJob::hang, "hanging-hook"));
    }
    System.exit(Integer.parseInt(args[0]));
  }

  private static void hang() {
    while (true) {
      LockSupport.park();
    }
  }
}
