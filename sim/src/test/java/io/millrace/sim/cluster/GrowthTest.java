package io.millrace.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.rpc.journal.Journal;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class GrowthTest {
  private static final int CYCLES = 1_000;
  private static final int REMEMBERED = 20;

  /**
   * Objects that vary between the two counts; a leak of one object per cycle would be five times as
   * many.
   */
  private static final int SLACK = CYCLES / 2 / 5;

  private static final String WORKER = "worker-1";

  private final Random random = new Random(17);
  private final List<SimJob> jobs = new ArrayList<>();

  @Test
  @Behaviour("D8: a JobManager keeps no memory of workers and jobs that have gone")
  void jobManagerHoldsNothingOfEndedWorkersAndJobs() {
    SimCluster cluster = cluster(true);

    cycles(cluster, 0, CYCLES / 2);
    Map<String, Integer> half = held(cluster);
    cycles(cluster, CYCLES / 2, CYCLES);
    Map<String, Integer> all = held(cluster);

    assertThat(grown(half, all)).isEmpty();
    assertThat(all.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(1_000);
    assertThat(cluster.store().keys("jobs/")).isEmpty();
    assertThat(cluster.store().keys("results/")).hasSizeLessThanOrEqualTo(10 * REMEMBERED);
  }

  @Test
  void livingWorkerHoldsNothingOfEndedJobs() {
    SimCluster cluster = cluster(false);

    cycles(cluster, 0, CYCLES / 2);
    Map<String, Integer> half = held(cluster.executor(WORKER));
    cycles(cluster, CYCLES / 2, CYCLES);
    Map<String, Integer> all = held(cluster.executor(WORKER));

    assertThat(grown(half, all)).isEmpty();
    assertThat(all.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(100);
  }

  private SimCluster cluster(boolean elastic) {
    for (int i = 0; i < CYCLES; i++) {
      jobs.add(job(i));
    }
    SimCluster cluster = new SimCluster(scenario(elastic), new SimWiring(), new Trace());
    cluster.start();
    return cluster;
  }

  private static Map<String, Integer> grown(Map<String, Integer> half, Map<String, Integer> all) {
    Map<String, Integer> grown = new TreeMap<>();
    all.forEach(
        (type, count) -> {
          int more = count - half.getOrDefault(type, 0);
          if (more > SLACK) {
            grown.put(type, more);
          }
        });
    return grown;
  }

  private void cycles(SimCluster cluster, int from, int to) {
    for (int i = from; i < to; i++) {
      cycle(cluster, i, jobs.get(i).id());
    }
    // Open requests reach their deadlines, and entries expire.
    cluster.simulation().run(Duration.ofMinutes(10));
  }

  /** Every fourth job loses a worker, if workers are replaced. */
  private void cycle(SimCluster cluster, int number, JobId job) {
    Optional<SimDriver> driver = cluster.driver();
    cluster.client().submit(jobs.get(number));
    cluster.client().awaitResult(job);
    if (number % 4 == 1 && driver.isPresent()) {
      await(cluster, () -> runs(cluster));
      String worker = driver.get().alive().get(0).name();
      cluster.process(worker).ifPresent(SimProcess::kill);
      driver.get().gone(worker);
    } else if (number % 4 == 2) {
      await(cluster, () -> runs(cluster));
      cluster.client().cancel(job);
    }
    await(
        cluster,
        () ->
            cluster.client().result(job).isPresent()
                && driver.map(known -> known.alive().isEmpty()).orElse(true));
  }

  private static boolean runs(SimCluster cluster) {
    return cluster.workers().stream().anyMatch(worker -> !worker.host().running().isEmpty());
  }

  private static void await(SimCluster cluster, BooleanSupplier condition) {
    assertThat(cluster.simulation().runUntil(condition, Duration.ofMinutes(5))).isTrue();
  }

  /** The objects that are reachable from the JobManager and from scheduled events. */
  private static Map<String, Integer> held(SimCluster cluster) {
    Map<String, Integer> counts =
        held(cluster.manager("jobmanager-1").orElseThrow().services.orElseThrow());
    counts.put("events in the queue", cluster.simulation().pending());
    return counts;
  }

  /** Without the simulated environment and without the journal, which is bounded. */
  private static Map<String, Integer> held(Object root) {
    return Reachable.from(
        root,
        type ->
            type == Journal.class
                || (type.getName().startsWith("io.millrace.sim.")
                    && type.getNestHost() != SimProcess.class)
                || type == SimProcess.class);
  }

  private Scenario scenario(boolean elastic) {
    return new Scenario(
        17,
        ScenarioKind.CALM,
        new Shape(1, elastic, 1, elastic ? 2 : 4, 3),
        Configuration.EMPTY
            .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 10)
            .with(RestartStrategyOptions.FIXED_DELAY, Duration.ofMillis(100))
            .with(JobManagerOptions.JOB_STORE_MAX_CAPACITY, REMEMBERED)
            .with(ResourceManagerOptions.TASK_MANAGER_TIMEOUT, Duration.ofSeconds(1)),
        jobs,
        List.of(),
        List.of(),
        Duration.ZERO,
        List.of());
  }

  /** Every fourth one runs until it is cancelled; every fourth one fails. */
  private SimJob job(int number) {
    JobVertex vertex =
        new JobVertex(
            VertexId.random(random),
            "only",
            1 + number % 3,
            128,
            "default",
            List.of(new ChainedOperator(OperatorId.random(random), "only", -1, Bytes.EMPTY)));
    boolean fails = number % 4 == 3;
    return new SimJob(
        new JobGraph(
            JobId.random(random),
            "job-" + number,
            JobType.STREAMING,
            List.of(vertex),
            List.of(),
            List.of(),
            fails
                ? Configuration.EMPTY.with(
                    RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE)
                : Configuration.EMPTY),
        new SimTaskHost.Behaviour(
            number % 4 == 2 ? Duration.ZERO : Duration.ofSeconds(1),
            fails ? 1 : 0,
            Duration.ofMillis(50)));
  }
}
