package io.millrace.api.source;

import io.millrace.core.fs.FileSystems;
import java.time.Duration;

/** The environment of a {@link SplitEnumerator}. */
public interface EnumeratorContext {
  /** The number of readers. */
  int readers();

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
