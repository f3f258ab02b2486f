package io.millrace.dataplane.cores;

import java.util.ArrayList;
import java.util.List;

/**
 * The stack of a step.
 *
 * @param onCpu whether the thread executes, or waits for a processor only
 * @param frames from the first frame of the step on, without those of the cores
 */
public record StepStack(boolean onCpu, List<String> frames) {
  public StepStack {
    frames = List.copyOf(frames);
  }

  /**
   * @param stack of the thread, its inner end first
   */
  static StepStack of(StackTraceElement[] stack, Thread.State state) {
    List<String> frames = new ArrayList<>();
    int outer = stack.length - 1;
    while (outer >= 0 && !isOfCores(stack[outer])) {
      outer--;
    }
    while (outer >= 0 && isOfCores(stack[outer])) {
      outer--;
    }
    for (int i = outer; i >= 0; i--) {
      frames.add(
          stack[i].getClassName()
              + "."
              + stack[i].getMethodName()
              + ":"
              + stack[i].getLineNumber());
    }
    // At its end a step waits for whoever reads its stack.
    boolean ends = outer < 0;
    return new StepStack(state == Thread.State.RUNNABLE || ends, frames);
  }

  private static boolean isOfCores(StackTraceElement frame) {
    return frame.getClassName().equals(Tasklet.class.getName());
  }
}
