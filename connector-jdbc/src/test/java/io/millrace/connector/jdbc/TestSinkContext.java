package io.millrace.connector.jdbc;

import io.millrace.api.sink.SinkContext;
import io.millrace.core.fs.FileSystems;

/** The context of a writer outside of a job with checkpoints. */
record TestSinkContext(int subtask, int parallelism, boolean isRestored) implements SinkContext {
  @Override
  public int attempt() {
    return 0;
  }

  @Override
  public boolean isCheckpointing() {
    return true;
  }

  @Override
  public long currentProcessingTime() {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystems files() {
    throw new UnsupportedOperationException();
  }
}
