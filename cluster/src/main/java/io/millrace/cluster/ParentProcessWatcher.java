package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ends a process when its parent ends for any reason. The parent holds the other end of standard
 * input, which the operating system closes when the parent ends.
 */
public final class ParentProcessWatcher {
  private static final String PROPERTY = "millrace.ends-with-parent";

  private ParentProcessWatcher() {}

  /** The JVM option of a process that is to end with its parent. */
  static String option() {
    return "-D" + PROPERTY + "=true";
  }

  /**
   * Watches the parent if this process was started with the option. Standard input is empty then.
   */
  public static void watchIfAsked() {
    if (!Boolean.getBoolean(PROPERTY)) {
      return;
    }
    InputStream pipe = System.in;
    System.setIn(InputStream.nullInputStream());
    Thread watch = new Thread(() -> watch(pipe), "parent-watch");
    watch.setDaemon(true);
    watch.start();
  }

  private static void watch(InputStream pipe) {
    try {
      while (pipe.read() >= 0) {
        // The parent sends nothing.
      }
    } catch (IOException e) {
      System.err.println("Cannot watch the parent process: " + e);
    }
    // Shutdown hooks of a program could keep the process alive.
    Runtime.getRuntime().halt(ExitCode.UNKNOWN.code());
  }
}
