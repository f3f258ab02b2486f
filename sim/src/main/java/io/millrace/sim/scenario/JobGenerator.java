package io.millrace.sim.scenario;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.sim.SimTaskHost.Behaviour;
import io.millrace.sim.scenario.Scenario.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Draws jobs: their graphs, their jars and how their tasks behave. */
final class JobGenerator {
  /** The jars that jobs of one scenario share. */
  private static final List<String> JARS = List.of("program.jar", "library.jar");

  private static final List<Partitioning> ALL_TO_ALL =
      List.of(
          Partitioning.REBALANCE, Partitioning.HASH, Partitioning.BROADCAST, Partitioning.CUSTOM);

  private final ScenarioKind kind;
  private final Shape shape;
  private final Random random;

  /** For edges and jars, so that all other draws stay as they were. */
  private final Random shapes;

  /** The edges between the vertices of a job. */
  private enum Connected {
    /** One region: every edge is a rebalance. */
    REBALANCED,
    /**
     * All vertices have the same parallelism and each subtask has its own neighbours: one region
     * per subtask.
     */
    PIPELINES,
    /** Each edge has any partitioning that the parallelisms allow. */
    ANY
  }

  JobGenerator(ScenarioKind kind, Shape shape, Random random, Random shapes) {
    this.kind = kind;
    this.shape = shape;
    this.random = random;
    this.shapes = shapes;
  }

  SimJob job(int number, int parallelism) {
    int vertices = 1 + random.nextInt(3);
    boolean twoGroups = vertices > 1 && oneIn(3);
    boolean larger = shape.elastic() && oneIn(3);
    boolean declares = larger || oneIn(5);
    List<JobVertex> chain = new ArrayList<>();
    boolean keeps = oneIn(4);
    int most = twoGroups ? Math.max(1, parallelism / 2) : parallelism;
    Connected connected = Connected.values()[shapes.nextInt(Connected.values().length)];
    Map<String, ResourceProfile> resources = new LinkedHashMap<>();
    for (int i = 0; i < vertices; i++) {
      String group = twoGroups && i == vertices - 1 ? "last" : "default";
      int drawn = i == 0 ? most : 1 + random.nextInt(most);
      VertexId id = VertexId.random(random);
      chain.add(
          new JobVertex(
              id,
              "v" + i,
              connected == Connected.PIPELINES ? most : drawn,
              128,
              group,
              List.of(new ChainedOperator(OperatorId.random(random), "o" + i, -1, Bytes.EMPTY)),
              keeps && oneIn(2) ? List.of(DataSetId.random(random)) : List.of()));
      if (declares) {
        // Of two groups one does not fit a worker of the default size; the other may.
        double cores = oneIn(2) ? 0.5 : 0.25;
        boolean beyond = larger && (resources.isEmpty() || oneIn(2));
        resources.putIfAbsent(
            group, new ResourceProfile(beyond ? shape.slots() + cores : cores, 0, 0, 0, 0));
      }
    }
    List<Bytes> jars = jars();
    JobGraph graph =
        new JobGraph(
                JobId.random(random),
                "job-" + number,
                JobType.STREAMING,
                chain,
                edges(chain, connected),
                jars.stream().map(jar -> new JarFile("jar", BlobKey.of(jar))).toList(),
                restarts())
            .withResources(resources);
    return new SimJob(graph, behaviour(), jars);
  }

  /** A chain; with three vertices the first is sometimes connected to the last, too. */
  private List<JobEdge> edges(List<JobVertex> chain, Connected connected) {
    List<JobEdge> edges = new ArrayList<>();
    for (int i = 1; i < chain.size(); i++) {
      edges.add(edge(edges.size(), chain.get(i - 1), chain.get(i), 0, connected));
    }
    if (chain.size() > 2 && connected != Connected.REBALANCED && shapes.nextBoolean()) {
      edges.add(edge(edges.size(), chain.get(0), chain.get(2), 1, connected));
    }
    return edges;
  }

  private JobEdge edge(int id, JobVertex source, JobVertex target, int input, Connected connected) {
    List<Partitioning> possible = new ArrayList<>();
    if (connected != Connected.REBALANCED) {
      possible.add(Partitioning.RESCALE);
      if (source.parallelism() == target.parallelism()) {
        possible.add(Partitioning.FORWARD);
      }
    }
    if (connected == Connected.ANY) {
      possible.addAll(ALL_TO_ALL);
    } else if (connected == Connected.REBALANCED) {
      possible.add(Partitioning.REBALANCE);
    }
    Partitioning drawn = possible.get(shapes.nextInt(possible.size()));
    // Without a draw of its own, so that seeds keep their meaning.
    boolean shuffles = connected == Connected.ANY && drawn == Partitioning.REBALANCE && id > 0;
    return new JobEdge(
        id,
        source.id(),
        0,
        target.id(),
        input,
        shuffles ? Partitioning.SHUFFLE : drawn,
        Bytes.EMPTY);
  }

  private List<Bytes> jars() {
    List<Bytes> jars = new ArrayList<>();
    for (String name : JARS) {
      if (shapes.nextInt(3) == 0) {
        jars.add(Bytes.utf8(name));
      }
    }
    return jars;
  }

  private Configuration restarts() {
    return switch (random.nextInt(8)) {
      case 0 ->
          Configuration.EMPTY.with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE);
      case 1 ->
          Configuration.EMPTY
              .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
              .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 3);
      default -> Configuration.EMPTY;
    };
  }

  private Behaviour behaviour() {
    Duration run = oneIn(3) ? Duration.ZERO : Duration.ofMillis(500 + random.nextInt(15_000));
    double failing = oneIn(4) ? 0.15 : 0;
    int noticing =
        switch (random.nextInt(6)) {
          case 0 -> 4_000;
          case 1 -> kind == ScenarioKind.WORKERS || kind == ScenarioKind.MIXED ? 40_000 : 500;
          default -> 50;
        };
    return new Behaviour(run, failing, Duration.ofMillis(noticing));
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }
}
