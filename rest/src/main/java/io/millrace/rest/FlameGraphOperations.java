package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.ProcessGateway.SampleStacks;
import io.millrace.protocol.ProcessGateway.StackSamples;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rest.VertexOperations.VertexOfJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flame graphs of vertices. A request starts a sampling at the TaskManagers of the vertex, unless
 * one runs or its result is new enough, and is answered with the last result at once.
 */
final class FlameGraphOperations {
  private static final Logger LOG = LoggerFactory.getLogger(FlameGraphOperations.class);

  /** The vertices with a graph; the one that was requested least recently makes room. */
  private static final int MAX_GRAPHS = 64;

  /** How long a sampling may take longer than planned, on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final FlameGraphSettings settings;

  /** In the order of the last request. Guarded by this: requests come on several event loops. */
  private final Map<VertexKey, VertexSampling> samplings = new LinkedHashMap<>(16, 0.75f, true);

  private record VertexKey(JobId job, VertexId vertex) {}

  /** The last result of a vertex, and whether the next one is being made. */
  private static final class VertexSampling {
    private Optional<FlameGraph> latest = Optional.empty();
    private boolean running;
    private long requestedAt;
  }

  FlameGraphOperations(FlameGraphSettings settings) {
    this.settings = settings;
  }

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            "/jobs/:jobid/vertices/:vertexid/flamegraph",
            "Sampled stacks of the tasks of a vertex (`?type=full`, `on_cpu` or `off_cpu`,"
                + " `&subtaskindex=n`). `endTimestamp` is -1 if all tasks have ended, -2 if"
                + " `rest.flamegraph.enabled` is false, and -3 until the first samples are"
                + " taken.",
            this::graph));
  }

  private CompletableFuture<RestResponse> graph(RestRequest call) {
    FlameGraph.Type type =
        call.query("type")
            .map(text -> call.choice("type", text, FlameGraph.Type.class))
            .orElse(FlameGraph.Type.FULL);
    Optional<Long> subtask =
        call.query("subtaskindex").map(given -> call.number("subtaskindex", 0));
    return VertexOperations.find(call)
        .thenApply(
            found -> {
              List<SubtaskDetails> subtasks = found.vertex().subtasks();
              if (subtask.isPresent() && subtask.get() >= subtasks.size()) {
                throw new RestError(
                    404,
                    "Vertex "
                        + found.vertex().id()
                        + " has "
                        + subtasks.size()
                        + " subtasks, numbered from 0. There is no subtask "
                        + subtask.get()
                        + ".");
              }
              if (!settings.enabled()) {
                return RestResponse.ok(FlameGraph.without(FlameGraph.DISABLED));
              }
              if (subtasks.stream().allMatch(each -> each.state().isTerminal())) {
                return RestResponse.ok(FlameGraph.without(FlameGraph.TERMINATED));
              }
              Optional<ExecutionId> only =
                  subtask.map(index -> subtasks.get(index.intValue()).execution());
              return RestResponse.ok(
                  latest(call, found)
                      .map(
                          graph ->
                              graph.json(
                                  type, stack -> only.isEmpty() || stack.task().equals(only.get())))
                      .orElseGet(() -> FlameGraph.without(FlameGraph.WAITING)));
            });
  }

  private synchronized Optional<FlameGraph> latest(RestRequest call, VertexOfJob found) {
    VertexKey key = new VertexKey(found.job().id(), found.vertex().id());
    long now = call.now();
    samplings
        .values()
        .removeIf(
            other ->
                !other.running && now - other.requestedAt > settings.cleanupInterval().toMillis());
    VertexSampling sampling = samplings.computeIfAbsent(key, first -> new VertexSampling());
    if (samplings.size() > MAX_GRAPHS) {
      samplings.remove(samplings.keySet().iterator().next());
    }
    sampling.requestedAt = now;
    boolean isNew =
        sampling.latest.isPresent()
            && now - sampling.latest.get().endedAt() < settings.refreshInterval().toMillis();
    if (!sampling.running && !isNew) {
      sampling.running = true;
      sample(call, found).whenComplete((graph, failure) -> ended(sampling, graph, failure));
    }
    return sampling.latest;
  }

  private synchronized void ended(VertexSampling sampling, FlameGraph graph, Throwable failure) {
    sampling.running = false;
    if (failure == null) {
      sampling.latest = Optional.of(graph);
    } else {
      LOG.info("No flame graph could be taken; the next request tries again", failure);
    }
  }

  /** Samples at all TaskManagers of the vertex at the same time. */
  private CompletableFuture<FlameGraph> sample(RestRequest call, VertexOfJob found) {
    Map<WorkerId, List<ExecutionId>> tasks = new LinkedHashMap<>();
    for (SubtaskDetails subtask : found.vertex().subtasks()) {
      if (!subtask.state().isTerminal()) {
        subtask
            .worker()
            .ifPresent(
                worker ->
                    tasks
                        .computeIfAbsent(worker, first -> new ArrayList<>())
                        .add(subtask.execution()));
      }
    }
    return ClusterOperations.workers(call)
        .thenCompose(
            workers -> {
              CompletableFuture<List<StackSamples>> all =
                  CompletableFuture.completedFuture(new ArrayList<>());
              for (WorkerInfo worker : workers) {
                List<ExecutionId> there = tasks.getOrDefault(worker.worker(), List.of());
                if (!there.isEmpty()) {
                  all =
                      all.thenCombine(
                          sample(call, worker, there),
                          (known, samples) -> {
                            samples.ifPresent(known::add);
                            return known;
                          });
                }
              }
              return all;
            })
        .thenApply(samples -> new FlameGraph(call.now(), samples));
  }

  /** Empty if the TaskManager does not answer: the graph shows the tasks of the others. */
  private CompletableFuture<Optional<StackSamples>> sample(
      RestRequest call, WorkerInfo worker, List<ExecutionId> tasks) {
    return call.onEventLoop(
            call.process(worker, settings.samplingTime().multipliedBy(2).plus(PATIENCE))
                .sampleStacks(
                    new SampleStacks(
                        tasks, settings.samples(), settings.delay(), settings.depth())))
        .thenApply(Optional::of)
        .exceptionally(
            failure -> {
              LOG.info("TaskManager {} took no samples", worker.worker(), failure);
              return Optional.empty();
            });
  }
}
