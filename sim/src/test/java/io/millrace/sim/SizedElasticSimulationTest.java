package io.millrace.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.JobStatus;
import io.millrace.control.driver.LargerWorkers;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.memory.ShippedSizes;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Jobs that declare more than a usual worker has, beside one that does not, on demand. */
class SizedElasticSimulationTest {
  private static final int SEEDS = 100;
  private static final Duration PATIENCE = Duration.ofMinutes(30);
  private static final ResourceProfile LARGE = new ResourceProfile(0.5, 0, 0, 1L << 30, 0);
  private static final ResourceProfile LARGEST = new ResourceProfile(3, 0, 0, 1L << 30, 0);

  @Test
  void everyJobGetsWorkersOfItsSizeAndAllOfThemGoAfterwards() {
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
    SimDriver.Habits habits =
        new SimDriver.Habits(
            new WorkerSpec(new ResourceProfile(slots, 0, 0, 0, 0), slots),
            4 + random.nextInt(2),
            Optional.of(
                new LargerWorkers(
                    ShippedSizes.in(Configuration.EMPTY), 4, 8L << 30, "the simulation")),
            random.nextInt(3) * 0.1,
            random.nextInt(2) * 0.1,
            random.nextInt(3) * 0.1,
            new SimTaskHost.Behaviour(Duration.ofSeconds(5), 0));
    SimCluster cluster = new SimCluster(seed, configuration, Optional.of(habits));
    Map<String, ResourceProfile> sizes = new LinkedHashMap<>();
    sizes.put("source", new ResourceProfile(0.5, 0, 0, 0, 0));
    sizes.put("sink", random.nextBoolean() ? LARGE : LARGEST);
    List<JobGraph> graphs =
        List.of(
            SmallCluster.graph(random, 1 + random.nextInt(2), configuration, sizes),
            SmallCluster.graph(random, 1 + random.nextInt(slots), configuration, Map.of()));
    for (JobGraph graph : graphs) {
      CompletableFuture<?> submitted = cluster.submit(graph);
      cluster.simulation().runUntil(submitted::isDone, PATIENCE);
      submitted.join();
    }
    harm(cluster, random);
    for (JobGraph graph : graphs) {
      JobResult result = SmallCluster.result(cluster, graph.id()).orElseThrow();
      assertThat(result.status())
          .as("seed %d: %s", seed, result.failure())
          .isEqualTo(JobStatus.FINISHED);
    }
    assertThat(cluster.driver().asked())
        .as("seed %d", seed)
        .extracting(WorkerSpec::total)
        .anyMatch(total -> total.fits(sizes.get("sink")));
    cluster.simulation().run(Duration.ofMinutes(3));
    assertThat(cluster.driver().alive()).as("seed %d", seed).isEmpty();
    assertThat(cluster.deaths())
        .as("seed %d", seed)
        .allSatisfy(death -> assertThat(death).contains("is unknown here"));
  }

  private static void harm(SimCluster cluster, Random random) {
    Simulation simulation = cluster.simulation();
    for (int i = random.nextInt(3); i > 0; i--) {
      simulation.run(Duration.ofMillis(random.nextInt(8000)));
      List<String> alive = cluster.driver().alive();
      if (!alive.isEmpty()) {
        cluster.driver().kill(alive.get(random.nextInt(alive.size())));
      }
    }
    if (random.nextInt(3) == 0) {
      simulation.run(Duration.ofMillis(random.nextInt(8000)));
      cluster.killJobManager();
      simulation.run(Duration.ofMillis(random.nextInt(3000)));
      cluster.startJobManager();
    }
  }
}
