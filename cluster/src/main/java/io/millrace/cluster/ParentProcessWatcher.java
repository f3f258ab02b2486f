package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ends a process with the one that started it, however that ends: the parent holds the other end of
 * standard input, which the system closes for it.
 */
public final class ParentProcessWatcher {
  private static final String PROPERTY = "millrace.ends-with-parent";

  private ParentProcessWatcher() {}

  /** The option of the JVM whose process is to end with its parent. */
  static String option() {
    return "-D" + PROPERTY + "=true";
  }

  /** Watches the parent, where this process was started so. Programs then read no input. */
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
        // Nothing is ever sent.
      }
    } catch (IOException e) {
      System.err.println("The process that started this one cannot be watched: " + e);
    }
    // Hooks of a program could keep the process alive.
    Runtime.getRuntime().halt(ExitCode.UNKNOWN.code());
  }
}
