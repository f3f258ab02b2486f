package io.millrace.control.checkpoint;

import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import java.time.Duration;
import java.util.Objects;

/**
 * The options of a job's checkpoints.
 *
 * @param interval between periodic checkpoints; zero for none
 * @param backlogInterval the same while a source processes backlog
 * @param history the number of checkpoints in the statistics
 */
public record CheckpointSettings(
    Duration interval,
    Duration backlogInterval,
    Duration minPause,
    int maxConcurrent,
    Duration timeout,
    int tolerableFailures,
    int retained,
    CheckpointRetention retention,
    Barriers barriers,
    int inlineThreshold,
    int history) {
  public CheckpointSettings {
    Objects.requireNonNull(interval);
    Objects.requireNonNull(backlogInterval);
    Objects.requireNonNull(minPause);
    Objects.requireNonNull(timeout);
    Objects.requireNonNull(retention);
    Objects.requireNonNull(barriers);
  }

  /**
   * @param configuration the job's own, over the cluster's
   */
  public static CheckpointSettings of(Configuration configuration) {
    boolean unaligned = configuration.get(CheckpointingOptions.UNALIGNED);
    return new CheckpointSettings(
        configuration.get(CheckpointingOptions.INTERVAL),
        configuration.get(
            configuration.contains(CheckpointingOptions.INTERVAL_DURING_BACKLOG)
                ? CheckpointingOptions.INTERVAL_DURING_BACKLOG
                : CheckpointingOptions.INTERVAL),
        configuration.get(CheckpointingOptions.MIN_PAUSE),
        configuration.get(CheckpointingOptions.MAX_CONCURRENT),
        configuration.get(CheckpointingOptions.TIMEOUT),
        configuration.get(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS),
        configuration.get(CheckpointingOptions.NUM_RETAINED),
        configuration.get(CheckpointingOptions.EXTERNALIZED_RETENTION),
        unaligned
            ? new Barriers(true, configuration.get(CheckpointingOptions.ALIGNED_TIMEOUT))
            : Barriers.ALIGNED,
        Math.toIntExact(configuration.get(CheckpointingOptions.INLINE_THRESHOLD).bytes()),
        configuration.get(CheckpointingOptions.HISTORY));
  }

  /** Whether checkpoints are taken periodically. */
  public boolean isPeriodic() {
    return !interval.isZero();
  }
}
