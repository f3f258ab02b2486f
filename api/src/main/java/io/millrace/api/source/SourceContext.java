package io.millrace.api.source;

import io.millrace.core.fs.FileSystems;
import java.time.Duration;

/** The environment of a reader, and its way to request another poll. */
public interface SourceContext {
  int subtask();

  int parallelism();

  /** The file systems of the process that runs the reader. */
  FileSystems files();

  /** Polls the reader again soon; may be called from any thread. */
  void wake();

  /** Polls the reader again after this time. */
  void wakeAfter(Duration delay);
}
