package io.millrace.api.source;

import io.millrace.api.metric.MetricGroup;
import io.millrace.core.fs.FileSystems;
import java.time.Duration;

/**
 * The environment of a reader, and its way to request another poll.
 *
 * <pre>{@code
 * // Reads the load of the machine every ten seconds.
 * class Load implements NonReplayableSource<String> {
 *   public boolean isBounded() {
 *     return false;
 *   }
 *
 *   public PollingReader<String> open(SourceContext context) {
 *     return (out, limit) -> {
 *       out.emit(context.subtask() + ": " + Files.readString(Path.of("/proc/loadavg")));
 *       context.wakeAfter(Duration.ofSeconds(10));
 *       return PollingReader.Status.WAIT;
 *     };
 *   }
 * }
 *
 * env.fromSource(new Load(), "load").print();
 * }</pre>
 */
public interface SourceContext {
  int subtask();

  int parallelism();

  /** The metrics of the source; each subtask has its own. */
  default MetricGroup metrics() {
    return MetricGroup.unreported();
  }

  /** The file systems of the process that runs the reader. */
  FileSystems files();

  /** Polls the reader again soon; may be called from any thread. */
  void wake();

  /** Polls the reader again after this time. */
  void wakeAfter(Duration delay);
}
