package io.millrace.core.config;

import java.time.Duration;

/** Options about how the tasks of a job run. */
public final class ExecutionOptions {
  public static final Option<RuntimeMode> RUNTIME_MODE =
      Option.choice(
              "execution.runtime-mode",
              RuntimeMode.class,
              RuntimeMode.STREAMING,
              "Whether keyed aggregations emit on every record (streaming) or once, at the end (batch).")
          .perJob();
  public static final Option<Boolean> BUFFER_TIMEOUT_ENABLED =
      Option.flag(
              "execution.buffer-timeout.enabled",
              true,
              "Whether batches of records leave a task before they are full. Without it throughput is"
                  + " highest, and a record may wait for ever if no other follows.")
          .perJob();
  public static final Option<Duration> BUFFER_TIMEOUT =
      Option.duration(
              "execution.buffer-timeout.interval",
              "Longest time a record waits in a batch that is not full; 0 sends every record by itself."
                  + " Where unset, batches are full when a task is busy and go at once when it is not.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Integer> SERIALIZATION_CHECK_INTERVAL =
      Option.integer(
              "embedded.serialization-check.interval",
              1000,
              "Every how many records of an exchange between tasks an embedded cluster writes and"
                  + " reads one, as between processes: 1 for all of them, as in tests; 0 for none.")
          .atLeast(0)
          .perJob();

  private ExecutionOptions() {}
}
