package io.millrace.bench.scale;

import io.millrace.graph.JobGraph;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One run of a cluster of one size: workers register, jobs are submitted, a minute passes without
 * events, some workers fail and are replaced, and the jobs are cancelled. Prints lines {@code
 * figure value}.
 */
final class ClusterScaleRun {
  /** The line before the figures of one run. */
  static final String RUN_MARKER = "run";

  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  /** Messages in flight when a condition becomes true belong to the phase. */
  private static final Duration SETTLE = Duration.ofMillis(50);

  private static final int WARM_UP_WORKERS = 500;
  private static final int WARM_UPS = 3;
  private static final int TASKS_PER_SLOT = 2;

  private final ScaleScenario scenario;
  private final int workers;
  private final ScaleCluster cluster = new ScaleCluster();
  private final VirtualWorld world = cluster.world();
  private final List<JobGraph> graphs;
  private final int tasks;

  private ClusterScaleRun(ScaleScenario scenario, int workers) {
    this.scenario = scenario;
    this.workers = workers;
    this.graphs = scenario.graphs(slots());
    this.tasks = slots() * TASKS_PER_SLOT;
  }

  /**
   * {@code ClusterScaleRun SCENARIO WORKERS REPEATS}: runs that many clusters one after the other
   * and prints a line {@code run} before the figures of each. With 0 repeats it measures the heap
   * of a cluster with everything deployed.
   */
  public static void main(String[] arguments) {
    ScaleScenario scenario = ScaleScenario.valueOf(arguments[0]);
    int workers = Integer.parseInt(arguments[1]);
    int repeats = Integer.parseInt(arguments[2]);
    if (repeats == 0) {
      print(new ClusterScaleRun(scenario, workers).heap());
      return;
    }
    for (int i = 0; i < WARM_UPS; i++) {
      runPhases(scenario, WARM_UP_WORKERS);
    }
    for (int i = 0; i < repeats; i++) {
      System.gc(); // Removes the garbage of the previous cluster.
      print(runPhases(scenario, workers));
    }
  }

  private static void print(Map<String, Double> figures) {
    System.out.println(RUN_MARKER);
    figures.forEach((figure, value) -> System.out.printf(Locale.ROOT, "%s %.3f%n", figure, value));
  }

  /** Runs all phases. */
  static Map<String, Double> runPhases(ScaleScenario scenario, int workers) {
    return new ClusterScaleRun(scenario, workers).runPhases();
  }

  private int slots() {
    return workers * ScaleCluster.SLOTS;
  }

  private Map<String, Double> runPhases() {
    Phases phases = new Phases(cluster);
    phases.run("register", () -> register(workers));
    deploy(phases);
    phases.run("quiet", () -> world.run(Duration.ofMinutes(1)));
    phases.run("failover", this::failOver);
    phases.skip();
    cluster.checkAllRun(tasks);
    phases.run(
        "cancel",
        () -> {
          cluster.cancel(graphs);
          world.runUntil("ended tasks", () -> cluster.running() == 0, TIMEOUT);
        });
    phases.run("release", this::awaitFree);
    return phases.figures();
  }

  private Map<String, Double> heap() {
    Phases phases = new Phases(cluster);
    register(workers);
    double registered = usedHeap();
    deploy(phases);
    world.run(Duration.ofSeconds(15));
    double deployed = usedHeap();
    cluster.eraseJobManager();
    double others = usedHeap();
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("heap.registeredMb", registered / (1 << 20));
    figures.put("heap.deployedMb", deployed / (1 << 20));
    figures.put(Phases.HEAP, (deployed - others) / (1 << 20));
    return figures;
  }

  private static double usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private void register(int count) {
    long before = world.arrived(ReportSlots.class);
    cluster.startWorkers(count);
    world.runUntil(
        "slot reports", () -> world.arrived(ReportSlots.class) - before >= count, TIMEOUT);
    world.run(SETTLE);
  }

  /**
   * Slots are allocated between the submission and the first deployment; the rest is deployment.
   */
  private void deploy(Phases phases) {
    phases.skip();
    boolean[] deploying = {false};
    if (scenario == ScaleScenario.HASH) {
      world.onLeaving(
          message -> {
            if (message instanceof DeployTasks && !deploying[0]) {
              deploying[0] = true;
              cluster.jobManagerMeter().split("jobmaster");
              phases.end("allocate");
            }
          });
    }
    cluster.submit(graphs);
    world.runUntil("running tasks", () -> cluster.running() == tasks, TIMEOUT);
    world.run(SETTLE);
    phases.end("deploy");
    world.onLeaving(message -> {});
    cluster.checkAllRun(tasks);
  }

  private void failOver() {
    int lost = Math.max(1, workers / 100);
    cluster.killWorkers(lost);
    world.run(SETTLE);
    cluster.startWorkers(lost);
    world.runUntil("restarted tasks", () -> cluster.running() == tasks, TIMEOUT);
    world.run(SETTLE);
  }

  private void awaitFree() {
    cluster.awaitResults(graphs);
    world.runUntil("released slots", () -> world.arrived(SlotAvailable.class) >= slots(), TIMEOUT);
    world.run(SETTLE);
  }
}
