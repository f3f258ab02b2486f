package io.millrace.sim.scenario;

import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.SimDataflow;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Draws which jobs take checkpoints, and how. */
final class CheckpointOptionsGenerator {
  private static final List<CheckpointRetention> RETENTIONS = List.of(CheckpointRetention.values());
  private static final Duration LONG_INTERVAL = Duration.ofMinutes(10);
  private static final MemorySize NOTHING_INLINE = MemorySize.parse("0 b");

  private CheckpointOptionsGenerator() {}

  /** Some jobs take checkpoints; none fails for checkpoints that fail. */
  static void takeCheckpoints(List<SimJob> jobs, Random draws) {
    for (int i = 0; i < jobs.size(); i++) {
      SimJob job = jobs.get(i);
      if (draws.nextInt(3) == 0) {
        Configuration options =
            job.graph()
                .configuration()
                .with(CheckpointingOptions.INTERVAL, Duration.ofMillis(800 + draws.nextInt(4_000)))
                .with(CheckpointingOptions.DIRECTORY, SimCheckpointStorage.ROOT)
                .with(CheckpointingOptions.TIMEOUT, Duration.ofMillis(2_000 + draws.nextInt(6_000)))
                .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, 100_000)
                .with(CheckpointingOptions.NUM_RETAINED, 1 + draws.nextInt(2))
                .with(CheckpointingOptions.MAX_CONCURRENT, 1 + draws.nextInt(2))
                .with(
                    CheckpointingOptions.EXTERNALIZED_RETENTION,
                    RETENTIONS.get(draws.nextInt(RETENTIONS.size())));
        jobs.set(
            i,
            job.with(
                draws.nextBoolean()
                    ? options.with(CheckpointingOptions.INLINE_THRESHOLD, NOTHING_INLINE)
                    : options));
      }
    }
  }

  /** Some bounded jobs end long before their next periodic checkpoint. */
  static void lengthenIntervals(List<SimJob> jobs, Random draws) {
    for (int i = 0; i < jobs.size(); i++) {
      SimJob job = jobs.get(i);
      if (SimDataflow.isCheckpointed(job.graph())
          && !job.behaviour().isEndless()
          && draws.nextInt(3) == 0) {
        jobs.set(
            i,
            job.with(
                job.graph().configuration().with(CheckpointingOptions.INTERVAL, LONG_INTERVAL)));
      }
    }
  }

  /** Some jobs restart when a few of their checkpoints have failed. */
  static void tolerateFewFailures(List<SimJob> jobs, Random state) {
    for (int i = 0; i < jobs.size(); i++) {
      Configuration options = jobs.get(i).graph().configuration();
      if (state.nextInt(4) == 0
          && !options.get(CheckpointingOptions.INTERVAL).isZero()
          && options.find(RestartStrategyOptions.RESTART_STRATEGY).isEmpty()) {
        jobs.set(
            i,
            jobs.get(i)
                .with(
                    options.with(
                        CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, state.nextInt(3))));
      }
    }
  }

  /** With three checkpoints a job of several regions could go back behind two. */
  static void retainThree(List<SimJob> jobs, Random draws) {
    for (int i = 0; i < jobs.size(); i++) {
      Configuration options = jobs.get(i).graph().configuration();
      if (options.get(CheckpointingOptions.NUM_RETAINED) == 2 && draws.nextBoolean()) {
        jobs.set(i, jobs.get(i).with(options.with(CheckpointingOptions.NUM_RETAINED, 3)));
      }
    }
  }

  /** Some jobs with shared files have several checkpoints in progress most of the time. */
  static void overlap(List<SimJob> jobs, Random draws) {
    for (int i = 0; i < jobs.size(); i++) {
      Configuration options = jobs.get(i).graph().configuration();
      if (draws.nextBoolean()
          && SimDataflow.isCheckpointed(jobs.get(i).graph())
          && options.get(CheckpointingOptions.INLINE_THRESHOLD).equals(NOTHING_INLINE)
          && options.get(CheckpointingOptions.INTERVAL).compareTo(LONG_INTERVAL) < 0) {
        jobs.set(
            i,
            jobs.get(i)
                .with(
                    options
                        .with(CheckpointingOptions.INTERVAL, Duration.ofMillis(300))
                        .with(CheckpointingOptions.NUM_RETAINED, 1)
                        .with(CheckpointingOptions.MAX_CONCURRENT, 3)));
      }
    }
  }
}
