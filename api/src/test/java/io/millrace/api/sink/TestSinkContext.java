package io.millrace.api.sink;

import io.millrace.core.fs.FileSystems;
import java.util.concurrent.atomic.AtomicLong;

/** A context with the values of a test. */
record TestSinkContext(
    int subtask,
    int parallelism,
    int attempt,
    boolean isRestored,
    boolean isCheckpointing,
    AtomicLong clock)
    implements SinkContext {
  private static final FileSystems FILES = FileSystems.withoutPlugins();

  /** The first attempt of a job without checkpoints. */
  static TestSinkContext of(int subtask, int parallelism) {
    return new TestSinkContext(subtask, parallelism, 0, false, false, new AtomicLong());
  }

  TestSinkContext attempt(int number) {
    return new TestSinkContext(subtask, parallelism, number, isRestored, isCheckpointing, clock);
  }

  TestSinkContext checkpointing() {
    return new TestSinkContext(subtask, parallelism, attempt, isRestored, true, clock);
  }

  TestSinkContext restored() {
    return new TestSinkContext(subtask, parallelism, attempt, true, isCheckpointing, clock);
  }

  @Override
  public long currentProcessingTime() {
    return clock.get();
  }

  @Override
  public FileSystems files() {
    return FILES;
  }
}
