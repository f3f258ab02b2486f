package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import java.util.List;
import java.util.Objects;

/**
 * What a task does at one moment.
 *
 * @param frames the stack of its current step, from the outer end on, such as {@code
 *     com.example.Count.map:12}; empty if no thread runs a step of it
 */
public record TaskStack(ExecutionId task, Activity activity, List<String> frames) {
  /** How a task uses its time. */
  public enum Activity {
    /** A thread executes its step, or waits for a processor to do so. */
    ON_CPU,
    /** A thread is in its step, and blocks or sleeps. */
    OFF_CPU,
    /** It waits for input, a timer or another system, without a thread. */
    AWAITS_INPUT,
    /** It waits for room in its output, without a thread. */
    AWAITS_ROOM,
    /** It has work and waits for a core thread. */
    AWAITS_CORE
  }

  public TaskStack {
    Objects.requireNonNull(task);
    Objects.requireNonNull(activity);
    frames = OrderedCopies.list(frames);
  }
}
