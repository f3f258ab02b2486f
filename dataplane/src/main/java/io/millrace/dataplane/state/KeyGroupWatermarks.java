package io.millrace.dataplane.state;

import io.millrace.task.checkpoint.KeyGroupRange;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * The event time that an operator has reached, by key group. The groups of a subtask have reached
 * the same, except after a restore from several former subtasks: with barriers that overtake
 * records, or with idle channels, one of these was ahead of another. Until the watermark of the
 * operator has passed all of them, the state of each group belongs to the event time of its own
 * former subtask.
 */
public final class KeyGroupWatermarks {
  private final int first;

  /** By group; empty if all groups have reached the same. */
  private final long[] reached;

  private final long lowest;
  private final long highest;

  private KeyGroupWatermarks(int first, long[] reached, long lowest, long highest) {
    this.first = first;
    this.reached = reached;
    this.lowest = lowest;
    this.highest = highest;
  }

  /** All groups have reached the same. */
  public static KeyGroupWatermarks same(long watermark) {
    return new KeyGroupWatermarks(0, new long[0], watermark, watermark);
  }

  /** Each group of a range has reached what the function says. */
  public static KeyGroupWatermarks of(KeyGroupRange groups, IntToLongFunction watermark) {
    long[] reached = new long[groups.size()];
    Arrays.setAll(reached, i -> watermark.applyAsLong(groups.first() + i));
    long lowest = Arrays.stream(reached).min().orElse(Long.MIN_VALUE);
    long highest = Arrays.stream(reached).max().orElse(Long.MIN_VALUE);
    return lowest == highest
        ? same(lowest)
        : new KeyGroupWatermarks(groups.first(), reached, lowest, highest);
  }

  /** Whether all groups have reached the same. */
  public boolean isSame() {
    return lowest == highest;
  }

  public long of(int group) {
    return reached.length == 0 ? lowest : reached[group - first];
  }

  public long lowest() {
    return lowest;
  }

  public long highest() {
    return highest;
  }

  /** The same after all groups have reached a watermark. */
  public KeyGroupWatermarks atLeast(long watermark) {
    return reached.length == 0
        ? same(Math.max(lowest, watermark))
        : of(
            new KeyGroupRange(first, first + reached.length),
            group -> Math.max(of(group), watermark));
  }
}
