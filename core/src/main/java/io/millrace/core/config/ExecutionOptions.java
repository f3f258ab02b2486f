package io.millrace.core.config;

import java.time.Duration;

/** Options about how the tasks of a job run. */
public final class ExecutionOptions {
  public static final Option<RuntimeMode> RUNTIME_MODE =
      Option.choice(
              "execution.runtime-mode",
              RuntimeMode.class,
              RuntimeMode.STREAMING,
              "Whether keyed aggregations emit on every record (streaming) or once at"
                  + " the end of input (batch).")
          .perJob();
  public static final Option<Boolean> BUFFER_TIMEOUT_ENABLED =
      Option.flag(
              "execution.buffer-timeout.enabled",
              true,
              "Whether a task sends batches of records that are not full. If false,"
                  + " throughput is highest, but a record may wait without limit for the"
                  + " next one.")
          .perJob();
  public static final Option<Duration> BUFFER_TIMEOUT =
      Option.duration(
              "execution.buffer-timeout.interval",
              "Maximum time that a record waits in a batch that is not full; 0 sends"
                  + " every record at once. By default a busy task sends full batches, and"
                  + " an idle one sends at once.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Integer> SERIALIZATION_CHECK_INTERVAL =
      Option.integer(
              "embedded.serialization-check.interval",
              1000,
              "An embedded cluster serializes and deserializes every n-th record"
                  + " between tasks, as between processes: 1 for all records, 0 for none.")
          .atLeast(0)
          .perJob();
  public static final Option<Boolean> ADOPT_TASKS =
      Option.flag(
              "execution.job-recovery.adopt-tasks.enabled",
              false,
              "Whether tasks run on while the JobManager changes: TaskManagers keep them for"
                  + " taskmanager.slot.timeout, and the next JobMaster adopts the regions whose"
                  + " tasks are all there. If false, each job restarts from its last checkpoint.")
          .perJob();
  public static final Option<Duration> PREVIOUS_WORKER_TIMEOUT =
      Option.duration(
              "execution.job-recovery.previous-worker.recovery.timeout",
              "10 s",
              "Time that a new JobMaster waits for the TaskManagers with tasks of its"
                  + " predecessor, before it restarts what is missing.")
          .atLeast("0 ms")
          .perJob();

  private ExecutionOptions() {}
}
