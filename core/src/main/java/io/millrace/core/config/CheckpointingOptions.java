package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.time.Duration;

/** Options of checkpoints and savepoints. */
public final class CheckpointingOptions {
  public static final Option<Duration> INTERVAL =
      Option.duration(
              "execution.checkpointing.interval",
              "0 ms",
              "Interval between the starts of periodic checkpoints; 0 switches them off.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Duration> INTERVAL_DURING_BACKLOG =
      Option.duration(
              "execution.checkpointing.interval-during-backlog",
              "0 ms",
              "Interval between the starts of periodic checkpoints while a source says that it"
                  + " processes backlog; 0 takes none during backlog. Without a value it is"
                  + " execution.checkpointing.interval.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Duration> MIN_PAUSE =
      Option.duration(
              "execution.checkpointing.min-pause",
              "0 ms",
              "Minimum time between the end of a periodic checkpoint and the start of the next.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Integer> MAX_CONCURRENT =
      Option.integer(
              "execution.checkpointing.max-concurrent-checkpoints",
              1,
              "Number of periodic checkpoints that may be in progress at the same time.")
          .atLeast(1)
          .perJob();
  public static final Option<Duration> TIMEOUT =
      Option.duration(
              "execution.checkpointing.timeout",
              "10 min",
              "Time after which a checkpoint that has not completed is aborted.")
          .atLeast("10 ms")
          .perJob();
  public static final Option<Integer> TOLERABLE_FAILED_CHECKPOINTS =
      Option.integer(
              "execution.checkpointing.tolerable-failed-checkpoints",
              0,
              "Number of consecutive failed checkpoints after which the next failure restarts the"
                  + " job.")
          .atLeast(0)
          .perJob();
  public static final Option<CheckpointRetention> EXTERNALIZED_RETENTION =
      Option.choice(
              "execution.checkpointing.externalized-checkpoint-retention",
              CheckpointRetention.class,
              CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS,
              "Whether the last checkpoint is kept when the job is cancelled or fails.")
          .perJob();
  public static final Option<Integer> NUM_RETAINED =
      Option.integer(
              "execution.checkpointing.num-retained",
              1,
              "Number of completed checkpoints that are kept for recovery.")
          .atLeast(1)
          .perJob();
  public static final Option<String> DIRECTORY =
      Option.text(
              "execution.checkpointing.dir",
              "Directory of checkpoints; all processes of the cluster must reach it. Needed for"
                  + " checkpoints unless the cluster runs in one process or in one directory of"
                  + " this machine.")
          .perJob();
  public static final Option<String> SAVEPOINT_DIRECTORY =
      Option.text(
              "execution.checkpointing.savepoint-dir",
              "Directory of savepoints, if a command names none.")
          .perJob();
  public static final Option<Boolean> UNALIGNED =
      Option.flag(
              "execution.checkpointing.unaligned.enabled",
              false,
              "Whether barriers overtake records, which become part of the checkpoint.")
          .perJob();
  public static final Option<Duration> ALIGNED_TIMEOUT =
      Option.duration(
              "execution.checkpointing.aligned-checkpoint-timeout",
              "0 ms",
              "With unaligned checkpoints, time for which barriers are aligned before they overtake"
                  + " records.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<MemorySize> INLINE_THRESHOLD =
      Option.memory(
              "execution.checkpointing.data-inline-threshold",
              "20 kb",
              "Size up to which a piece of state is stored in the metadata of the checkpoint instead"
                  + " of a file.")
          .between("0 b", "1 mb")
          .perJob();
  public static final Option<Boolean> INCREMENTAL =
      Option.flag(
              "execution.checkpointing.incremental",
              false,
              "Whether a checkpoint stores only what changed since the last one, if the state"
                  + " backend can do that: rocksdb does.")
          .perJob();
  public static final Option<Integer> HISTORY =
      Option.integer(
              "web.checkpoints.history",
              10,
              "Number of checkpoints whose statistics are kept per job.")
          .between(0, 1000)
          .perJob();

  private CheckpointingOptions() {}
}
