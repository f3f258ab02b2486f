package io.millrace.connector.kafka;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Runs programs on an embedded cluster with checkpoints. */
final class EmbeddedJobs {
  /** Something to do while a job runs. */
  interface Meanwhile {
    void run() throws Exception;
  }

  private EmbeddedJobs() {}

  /** Takes a checkpoint every 100 ms and restarts as often as necessary. */
  static Configuration restarting(Path directory) {
    return Configuration.EMPTY
        .with(CheckpointingOptions.INTERVAL, "100 ms")
        .with(CheckpointingOptions.DIRECTORY, directory.toString())
        .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
        .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 1000)
        .with(RestartStrategyOptions.FIXED_DELAY, "50 ms");
  }

  static Configuration withoutRestart(Path directory) {
    return restarting(directory)
        .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE);
  }

  static JobExecutionResult run(
      Configuration configuration, Callable<JobClient> main, Meanwhile meanwhile) throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(configuration)) {
      ClusterJobExecutor executor =
          new ClusterJobExecutor(
              cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
      JobClient job = new ProgramContext(executor, configuration).during(main);
      meanwhile.run();
      return job.result().get(90, TimeUnit.SECONDS);
    }
  }
}
