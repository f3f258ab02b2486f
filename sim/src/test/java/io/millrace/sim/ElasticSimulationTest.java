package io.millrace.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.JobStatus;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.config.RestartStrategy;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Workers that are started on demand by a driver with bad habits. */
class ElasticSimulationTest {
  private static final int SEEDS = 100;
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  @Test
  void jobsFinishWhateverTheDriverDoesAndAllWorkersGoAfterwards() {
    for (long seed = 0; seed < SEEDS; seed++) {
      run(seed);
    }
  }

  private static void run(long seed) {
    Random random = new Random(seed);
    Configuration configuration =
        Configuration.EMPTY
            .with(Options.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(Options.RESTART_ATTEMPTS, 1000)
            .with(Options.RESTART_DELAY, Duration.ofMillis(100))
            .with(Options.STARTED_WORKER_TIMEOUT, Duration.ofSeconds(60))
            .with(Options.SPARE_WORKERS, random.nextInt(2))
            .with(Options.IDLE_WORKER_TIMEOUT, Duration.ofSeconds(5 + random.nextInt(30)));
    int slots = 1 + random.nextInt(2);
    int most = 2 + random.nextInt(3);
    SimDriver.Habits habits =
        new SimDriver.Habits(
            new WorkerSpec(new ResourceProfile(slots, 0, 0, 0, 0), slots),
            most,
            random.nextInt(3) * 0.1,
            random.nextInt(2) * 0.1,
            random.nextInt(3) * 0.1,
            new SimTaskHost.Behaviour(Duration.ofSeconds(5), 0));
    SimCluster cluster = new SimCluster(seed, configuration, Optional.of(habits));
    Simulation simulation = cluster.simulation();
    JobGraph graph = SmallCluster.graph(random, 1 + random.nextInt(slots * most), configuration);
    CompletableFuture<?> submitted = cluster.submit(graph);
    simulation.runUntil(submitted::isDone, PATIENCE);
    submitted.join();
    for (int i = random.nextInt(3); i > 0; i--) {
      simulation.run(Duration.ofMillis(random.nextInt(8000)));
      List<String> alive = cluster.driver().alive();
      if (!alive.isEmpty()) {
        cluster.driver().kill(alive.get(random.nextInt(alive.size())));
      }
    }
    JobResult result = SmallCluster.result(cluster, graph.id()).orElseThrow();
    assertThat(result.status())
        .as("seed %d: %s", seed, result.failure())
        .isEqualTo(JobStatus.FINISHED);
    simulation.run(Duration.ofMinutes(3));
    assertThat(cluster.driver().alive()).as("seed %d", seed).isEmpty();
    // One that registers in the moment in which it is released is turned away.
    assertThat(cluster.deaths())
        .as("seed %d", seed)
        .allSatisfy(death -> assertThat(death).contains("is unknown here"));
  }
}
