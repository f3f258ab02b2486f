package io.millrace.sim;

import io.millrace.api.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * One JobManager, two TaskManagers and a job, from a seed: in some seeds a worker is killed, a
 * connection breaks or tasks fail.
 */
final class SmallCluster {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** What a run came to. */
  record Outcome(long seed, JobStatus status, String digest, List<String> lastLines) {}

  private SmallCluster() {}

  static Outcome run(long seed) {
    Random random = new Random(seed);
    Configuration configuration =
        Configuration.EMPTY
            .with(Options.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(Options.RESTART_ATTEMPTS, 1000)
            .with(Options.RESTART_DELAY, Duration.ofMillis(100));
    SimCluster cluster = new SimCluster(seed, configuration);
    double failures = random.nextInt(3) == 0 ? 0.1 : 0;
    var behaviour = new SimTaskHost.Behaviour(Duration.ofSeconds(5), failures);
    cluster.startWorker("worker-1", 2, behaviour);
    cluster.startWorker("worker-2", 2, behaviour);
    int parallelism = 1 + random.nextInt(4);
    JobGraph graph = graph(random, parallelism, configuration);
    CompletableFuture<?> submitted = cluster.submit(graph);
    Simulation simulation = cluster.simulation();
    if (!simulation.runUntil(submitted::isDone, PATIENCE)) {
      throw new AssertionError("Seed " + seed + ": the submission was never answered");
    }
    submitted.join();
    if (random.nextInt(2) == 0) {
      simulation.run(Duration.ofMillis(random.nextInt(3000)));
      cluster.killWorker("worker-1");
      cluster.startWorker("worker-3", 2, behaviour);
    }
    if (random.nextInt(2) == 0) {
      simulation.network().breakProbability(0.002);
      simulation.run(Duration.ofSeconds(5));
      simulation.network().breakProbability(0);
    }
    Optional<JobResult> result = result(cluster, graph.id());
    if (result.isEmpty()) {
      throw new AssertionError(
          "Seed "
              + seed
              + ": the job did not end; deaths: "
              + cluster.deaths()
              + "\n"
              + String.join("\n", simulation.trace().lastLines()));
    }
    if (!cluster.deaths().isEmpty()) {
      throw new AssertionError("Seed " + seed + ": " + cluster.deaths());
    }
    simulation.run(Duration.ofSeconds(60));
    for (String worker : List.of("worker-2")) {
      if (cluster.runningOn(worker) != 0) {
        throw new AssertionError("Seed " + seed + ": tasks run on after the job's end");
      }
    }
    return new Outcome(
        seed, result.get().status(), simulation.trace().digest(), simulation.trace().lastLines());
  }

  /**
   * A job on all slots ends, in some seeds because a worker was killed under it: the slots that
   * remain must soon be free. Returns those that are not.
   */
  static List<String> slotsHeldAfterTheEnd(long seed) {
    Random random = new Random(seed);
    SimCluster cluster =
        new SimCluster(
            seed, Configuration.EMPTY.with(Options.RESTART_STRATEGY, RestartStrategy.NONE));
    Simulation simulation = cluster.simulation();
    var behaviour = new SimTaskHost.Behaviour(Duration.ofSeconds(1), 0);
    cluster.startWorker("worker-1", 2, behaviour);
    cluster.startWorker("worker-2", 2, behaviour);
    cluster.startWorker("worker-3", 2, behaviour);
    JobGraph graph = graph(random, 4 + random.nextInt(3), Configuration.EMPTY);
    CompletableFuture<?> submitted = cluster.submit(graph);
    simulation.runUntil(submitted::isDone, PATIENCE);
    if (random.nextInt(2) == 0) {
      simulation.run(Duration.ofMillis(random.nextInt(1200)));
      cluster.killWorker("worker-" + (1 + random.nextInt(3)));
    }
    if (result(cluster, graph.id()).isEmpty()) {
      throw new AssertionError("Seed " + seed + ": the job did not end");
    }
    simulation.run(Duration.ofSeconds(2));
    CompletableFuture<Map<String, Integer>> free = cluster.freeSlots();
    simulation.runUntil(free::isDone, PATIENCE);
    return free.join().entrySet().stream()
        .filter(worker -> worker.getValue() < 2)
        .map(worker -> "seed " + seed + ": " + worker)
        .toList();
  }

  static Optional<JobResult> result(SimCluster cluster, JobId job) {
    Simulation simulation = cluster.simulation();
    Optional<JobResult> result = Optional.empty();
    long end = simulation.nanos() + PATIENCE.toNanos();
    while (result.isEmpty() && simulation.nanos() < end) {
      CompletableFuture<ResultAnswer> answer =
          cluster.ask(gateway -> gateway.awaitResult(new AwaitResult(job, Duration.ofSeconds(5))));
      simulation.runUntil(answer::isDone, PATIENCE);
      if (answer.isDone() && !answer.isCompletedExceptionally()) {
        result = answer.join().result();
      }
    }
    return result;
  }

  /** In some seeds source and sink declare how large their slots must be, each its own size. */
  static JobGraph graph(Random random, int parallelism, Configuration configuration) {
    Map<String, ResourceProfile> resources = new LinkedHashMap<>();
    if (random.nextInt(3) == 0) {
      resources.put("source", new ResourceProfile(0.5, 0, 0, 0, 0));
      resources.put("sink", new ResourceProfile(random.nextBoolean() ? 0.5 : 0.25, 0, 0, 0, 0));
    }
    return graph(random, parallelism, configuration, resources);
  }

  static JobGraph graph(
      Random random,
      int parallelism,
      Configuration configuration,
      Map<String, ResourceProfile> resources) {
    JobVertex source = vertex(random, "source", parallelism, !resources.isEmpty());
    JobVertex sink = vertex(random, "sink", 1 + random.nextInt(parallelism), !resources.isEmpty());
    JobEdge edge =
        new JobEdge(0, source.id(), 0, sink.id(), 0, Partitioning.REBALANCE, Bytes.EMPTY);
    return new JobGraph(
        JobId.random(random),
        "simulated",
        JobType.STREAMING,
        List.of(source, sink),
        List.of(edge),
        List.of(),
        resources,
        configuration);
  }

  private static JobVertex vertex(Random random, String name, int parallelism, boolean ownGroup) {
    return new JobVertex(
        VertexId.random(random),
        name,
        parallelism,
        128,
        ownGroup ? name : "default",
        List.of(new ChainedOperator(OperatorId.random(random), name, -1, Bytes.utf8(name))));
  }

  /** Prints the digest of each seed from 0 on; another JVM compares. */
  public static void main(String[] args) {
    for (long seed = 0; seed < Long.parseLong(args[0]); seed++) {
      Outcome outcome = run(seed);
      System.out.println(outcome.seed() + " " + outcome.status() + " " + outcome.digest());
    }
  }
}
