package io.millrace.dataplane.metrics;

import io.millrace.task.TaskSplits;
import java.util.Optional;

/** The splits of a task of a source. Its step writes them, any thread reads them. */
public final class SplitMetrics {
  private volatile Optional<TaskSplits> splits = Optional.empty();

  /** A reader got splits. */
  public void received(int count) {
    TaskSplits before = splits.orElse(new TaskSplits(false, 0, 0));
    splits =
        Optional.of(new TaskSplits(false, before.assigned() + count, before.pending() + count));
  }

  /** A reader has read one of its splits. */
  public void readToEnd() {
    splits.ifPresent(before -> unread((int) before.pending() - 1));
  }

  /** A reader has read all its splits but these. */
  public void unread(int count) {
    TaskSplits before = splits.orElse(new TaskSplits(false, 0, 0));
    if (before.pending() != count) {
      splits = Optional.of(new TaskSplits(false, before.assigned(), count));
    }
  }

  /** The splits of an enumerator. */
  public void enumerated(long assigned, int unassigned) {
    TaskSplits now = new TaskSplits(true, assigned, unassigned);
    if (!splits.equals(Optional.of(now))) {
      splits = Optional.of(now);
    }
  }

  public Optional<TaskSplits> read() {
    return splits;
  }
}
