package io.millrace.client;

import java.util.Arrays;

/**
 * Distinguishes the causes for the end of a process. A program that calls {@code System.exit} ends
 * the process that runs it with an exit code that does not depend on its jobs; a signal is a
 * request of the user.
 */
public final class ProgramExit {
  private ProgramExit() {}

  /**
   * For shutdown hooks: whether code called {@code System.exit}. The calling thread stays in that
   * method until the hooks have ended; a signal is handled by a thread of the JVM that does not
   * call it.
   */
  public static boolean isUnderWay() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(
            frame ->
                frame.getClassName().equals(Runtime.class.getName())
                    && frame.getMethodName().equals("exit"));
  }
}
