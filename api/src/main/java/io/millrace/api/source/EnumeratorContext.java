package io.millrace.api.source;

import io.millrace.api.metric.MetricGroup;
import io.millrace.core.fs.FileSystems;
import java.time.Duration;

/**
 * The environment of a {@link SplitEnumerator}.
 *
 * <pre>{@code
 * record Shard(int number) implements SourceSplit {
 *   public String splitId() {
 *     return "shard " + number;
 *   }
 * }
 *
 * // Finds a shard for each reader.
 * class Shards implements SplitEnumerator<Shard, Integer> {
 *   private final EnumeratorContext context;
 *
 *   Shards(EnumeratorContext context) {
 *     this.context = context;
 *   }
 *
 *   public PollingReader.Status discover(Collector<Shard> shards) {
 *     for (int number = 0; number < context.readers(); number++) {
 *       shards.emit(new Shard(number));
 *     }
 *     return PollingReader.Status.END;
 *   }
 *
 *   public List<Integer> snapshot(long checkpoint) {
 *     return List.of();
 *   }
 * }
 * }</pre>
 */
public interface EnumeratorContext {
  /** The number of readers. */
  int readers();

  /** The metrics of the enumerator. */
  default MetricGroup metrics() {
    return MetricGroup.unreported();
  }

  /** The file systems of the process that runs the enumerator. */
  FileSystems files();

  /**
   * Says whether the source processes backlog: records that are so old that their latency does not
   * matter. Meanwhile the interval between checkpoints is {@code
   * execution.checkpointing.interval-during-backlog}. A source starts without backlog, also after a
   * restart. May be called from any thread.
   */
  void processingBacklog(boolean backlog);

  /** Calls {@link SplitEnumerator#discover} again soon; may be called from any thread. */
  void wake();

  /** Calls {@link SplitEnumerator#discover} again after this time. */
  void wakeAfter(Duration delay);
}
