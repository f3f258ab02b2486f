package io.millrace.dataplane.snapshot;

import java.util.TreeSet;

/**
 * The numbers of checkpoints that were aborted and whose barriers may still come. Not thread-safe.
 */
public final class AbortedCheckpoints {
  /** More aborted checkpoints than this are not ahead of a task: the lowest ones are dropped. */
  static final int LIMIT = 64;

  private final TreeSet<Long> numbers = new TreeSet<>();

  public void add(long checkpoint) {
    numbers.add(checkpoint);
    if (numbers.size() > LIMIT) {
      numbers.pollFirst();
    }
  }

  public boolean contains(long checkpoint) {
    return numbers.contains(checkpoint);
  }

  /** The barriers of earlier checkpoints do not come any more. */
  public void removeBefore(long checkpoint) {
    numbers.headSet(checkpoint).clear();
  }

  /** The barriers of this checkpoint and of earlier ones do not come any more. */
  public void removeUpTo(long checkpoint) {
    numbers.headSet(checkpoint, true).clear();
  }
}
