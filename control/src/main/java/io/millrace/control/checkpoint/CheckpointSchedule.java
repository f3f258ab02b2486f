package io.millrace.control.checkpoint;

import io.millrace.core.id.ExecutionId;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * When a checkpoint begins that no user requests: periodically while all tasks run, and at once
 * when all that is left of the job awaits it. At the end of bounded input the last tasks finish
 * after one more checkpoint; no task produces records any more, so that the interval has no meaning
 * then.
 */
final class CheckpointSchedule {
  /**
   * From the end of a checkpoint that tasks awaited to the next one, if they still run: the
   * checkpoint was aborted, or they did not hear that it is complete.
   */
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  private final CheckpointSettings settings;

  /** The sources that process backlog. */
  private final Set<ExecutionId> backlogs = new LinkedHashSet<>();

  /** The tasks that have ended their input and finish after a checkpoint. */
  private final Set<ExecutionId> awaiting = new LinkedHashSet<>();

  /** Whether all tasks run or have finished, as far as is known. */
  private boolean running;

  private long nextPeriodic = Long.MAX_VALUE;

  /** An awaited checkpoint does not begin before; the lowest long if it may at once. */
  private long awaitedNotBefore = Long.MIN_VALUE;

  CheckpointSchedule(CheckpointSettings settings) {
    this.settings = settings;
  }

  /** All tasks run or have finished. */
  void tasksRunning(CheckpointPlan plan, long now) {
    forgetReplaced(plan);
    if (!running && settings.isPeriodic()) {
      nextPeriodic = nextAfter(now);
    }
    running = true;
  }

  /** Forgets tasks that have ended; one that starts again reports again. */
  private void forgetReplaced(CheckpointPlan plan) {
    if (plan instanceof CheckpointPlan.Ready ready && !(backlogs.isEmpty() && awaiting.isEmpty())) {
      Set<ExecutionId> current = new HashSet<>();
      ready.tasks().forEach(task -> current.add(task.execution()));
      backlogs.retainAll(current);
      awaiting.retainAll(current);
    }
  }

  /** Tasks failed or end. The next report that all tasks run sets the time anew. */
  void tasksStopping() {
    running = false;
  }

  void backlogChanged(ExecutionId source, boolean backlog, long now) {
    boolean before = backlogs.isEmpty();
    if (backlog) {
      backlogs.add(source);
    } else {
      backlogs.remove(source);
    }
    if (running && settings.isPeriodic() && before != backlogs.isEmpty()) {
      nextPeriodic = nextAfter(now);
    }
  }

  /** A task that took part in a completed checkpoint and still awaits one reports that again. */
  void tasksAwait(Collection<ExecutionId> executions) {
    if (!executions.isEmpty()) {
      awaiting.addAll(executions);
      awaitedNotBefore = Long.MIN_VALUE;
    }
  }

  /**
   * A checkpoint of this schedule begins.
   *
   * @param awaited whether all that is left of the job awaits it
   */
  void begun(boolean awaited, long now) {
    nextPeriodic = nextAfter(now);
    if (awaited) {
      awaitedNotBefore = now;
    }
  }

  /** A checkpoint of this schedule is complete or aborted. */
  void over(long now) {
    if (awaitedNotBefore != Long.MIN_VALUE) {
      awaitedNotBefore = now + RETRY_PAUSE.toNanos();
    }
  }

  /** A checkpoint of this schedule is complete: the next periodic one begins after a pause. */
  void pause(long now) {
    nextPeriodic = Math.max(nextPeriodic, now + settings.minPause().toNanos());
  }

  /** When the next periodic checkpoint begins if nothing happens; the highest long for never. */
  long nextPeriodic() {
    return running ? nextPeriodic : Long.MAX_VALUE;
  }

  /** Whether a task awaits a checkpoint that may begin some time. */
  boolean isAwaited() {
    return running && settings.isPeriodic() && !awaiting.isEmpty();
  }

  /**
   * When a checkpoint begins because all that is left of the job awaits it; the highest long for
   * never. Barriers start at tasks whose producers have finished: if all of these wait, the tasks
   * behind them get no record either.
   */
  long nextAwaited(CheckpointPlan.Ready plan) {
    boolean all =
        isAwaited()
            && plan.tasks().stream()
                .filter(CheckpointPlan.Participant::source)
                .allMatch(task -> awaiting.contains(task.execution()));
    return all ? awaitedNotBefore : Long.MAX_VALUE;
  }

  /** The time of the next periodic checkpoint after one that begins now. */
  private long nextAfter(long now) {
    long interval =
        (backlogs.isEmpty() ? settings.interval() : settings.backlogInterval()).toNanos();
    return interval == 0 ? Long.MAX_VALUE : now + interval;
  }
}
