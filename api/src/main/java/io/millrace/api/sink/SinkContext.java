package io.millrace.api.sink;

import io.millrace.api.metric.MetricGroup;
import io.millrace.core.fs.FileSystems;

/**
 * The environment of a writer and of a committer.
 *
 * <pre>{@code
 * Sink<Order> sink =
 *     context -> {
 *       String prefix = "subtask " + context.subtask() + " of " + context.parallelism() + ": ";
 *       return order -> System.out.println(prefix + order);
 *     };
 * orders.sinkTo(sink);
 * }</pre>
 */
public interface SinkContext {
  int subtask();

  int parallelism();

  /** The number of the attempt, which grows with each restart. */
  int attempt();

  /**
   * Whether the sink starts with the state of a checkpoint or savepoint. If not, the job starts its
   * input anew, also with {@link #attempt} above 0.
   */
  boolean isRestored();

  /** Whether the job takes periodic checkpoints. */
  boolean isCheckpointing();

  /** Milliseconds since 1970 by the clock of the process that runs the writer. */
  long currentProcessingTime();

  /** The metrics of the sink, shared by its writer and its committer; each subtask has its own. */
  default MetricGroup metrics() {
    return MetricGroup.unreported();
  }

  /** The file systems of the process that runs the writer. */
  FileSystems files();
}
