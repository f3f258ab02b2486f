package io.millrace.rest;

import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskState;
import java.util.Arrays;
import java.util.List;

/**
 * When a task or a vertex ran, in milliseconds since the epoch; -1 for a time that is not reached.
 */
record TaskTimes(long start, long end, long duration) {
  /** The order of states in {@link SubtaskDetails#entered}. */
  private static final List<TaskState> ORDER = List.of(TaskState.values());

  static TaskTimes of(List<SubtaskDetails> subtasks, long now) {
    long start =
        subtasks.stream()
            .mapToLong(subtask -> entered(subtask, TaskState.DEPLOYING))
            .filter(time -> time >= 0)
            .min()
            .orElse(-1);
    boolean ended = subtasks.stream().allMatch(subtask -> subtask.state().isTerminal());
    long end =
        ended && start >= 0
            ? subtasks.stream()
                .mapToLong(subtask -> entered(subtask, subtask.state()))
                .max()
                .orElse(-1)
            : -1;
    return of(start, end, now);
  }

  static TaskTimes of(long start, long end, long now) {
    return new TaskTimes(start, end, start < 0 ? -1 : (end < 0 ? now : end) - start);
  }

  static long entered(SubtaskDetails subtask, TaskState state) {
    return subtask.entered()[position(state)];
  }

  /** How long a task was in a state, until now if it is still in it; -1 if it was never in it. */
  static long lasted(SubtaskDetails subtask, TaskState state, long now) {
    long[] entered = subtask.entered();
    long from = entered[position(state)];
    if (from < 0) {
      return -1;
    }
    long until =
        Arrays.stream(entered, position(state) + 1, entered.length)
            .filter(time -> time >= 0)
            .min()
            .orElse(now);
    return until - from;
  }

  private static int position(TaskState state) {
    return ORDER.indexOf(state);
  }
}
