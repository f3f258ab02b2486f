package io.millrace.client;

import java.util.Arrays;

/**
 * Why a process ends. A program that calls {@code System.exit} takes whoever runs it along, with a
 * code that says nothing about the jobs; a signal is a person's wish.
 */
public final class ProgramExit {
  private ProgramExit() {}

  /**
   * For shutdown hooks: whether code called {@code System.exit}. Whoever did waits there until the
   * hooks have ended, whereas a signal has a thread of the JVM's own, which does not come that way.
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
