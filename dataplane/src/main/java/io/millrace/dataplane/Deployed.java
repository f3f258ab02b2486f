package io.millrace.dataplane;

import io.millrace.core.Bytes;
import io.millrace.core.config.Option;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.VertexId;
import io.millrace.dataplane.cores.Cores;
import io.millrace.dataplane.records.ByteSink;
import io.millrace.dataplane.records.RecordCodec;
import io.millrace.dataplane.wire.ReservedBuffers;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.task.Deployment;
import io.millrace.graph.task.TaskCounters;
import io.millrace.graph.task.TaskListener;
import io.millrace.graph.task.TaskSpec;
import io.millrace.graph.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A deployment on this host: its tasks, the edges between them and what they share. Fixed once it
 * is built, but for the pools and the links to other hosts.
 */
final class Deployed {
  private static final Logger LOG = LoggerFactory.getLogger(Deployed.class);

  private final Deployment deployment;
  private final ClassLoader classes;
  private final TaskListener listener;
  private final DataPlane host;
  private final Links links;
  private final ConcurrentLinkedDeque<RecordCodec> codecs = new ConcurrentLinkedDeque<>();
  private final ConcurrentLinkedDeque<ByteSink> sinks = new ConcurrentLinkedDeque<>();
  private final Map<VertexId, List<EdgePlan>> inputs = new HashMap<>();
  private final Map<VertexId, List<EdgePlan>> outputs = new HashMap<>();
  private final Map<VertexId, Task[]> tasksOf = new LinkedHashMap<>();
  private final List<Task> tasks = new ArrayList<>();
  private final List<EdgePlan> edges = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private final Runnable whenAllEnded;
  private final Flushing flushing;
  private final Duration cancellationInterval;
  private final Optional<ReservedBuffers> buffers;

  Deployed(
      Deployment deployment,
      ClassLoader classes,
      TaskListener listener,
      DataPlane host,
      Runnable whenAllEnded) {
    this.deployment = deployment;
    this.classes = classes;
    this.listener = listener;
    this.host = host;
    this.whenAllEnded = whenAllEnded;
    this.links = new Links(this, host);
    this.flushing = Flushing.of(deployment.graph().configuration());
    // Read now, so that a value that cannot be read fails the deployment and not a cancellation.
    this.cancellationInterval = option(Options.TASK_CANCELLATION_INTERVAL);
    for (TaskSpec spec : deployment.tasks()) {
      JobVertex vertex = graph().vertex(spec.vertex());
      if (spec.subtask() >= vertex.parallelism()) {
        throw new MillraceException(
            ErrorKind.BUG, "Vertex '" + vertex.name() + "' has no subtask " + spec.subtask());
      }
      Task task = new Task(this, vertex, spec);
      tasks.add(task);
      tasksOf.computeIfAbsent(vertex.id(), id -> new Task[vertex.parallelism()])[spec.subtask()] =
          task;
    }
    running.set(tasks.size());
    planEdges();
    for (Task task : tasks) {
      task.connect();
    }
    // Last, because what is reserved has to be given back.
    buffers = host.reserve(edges);
  }

  private void planEdges() {
    Map<VertexId, int[]> hosts = new HashMap<>();
    for (JobEdge edge : graph().edges()) {
      JobVertex source = graph().vertex(edge.source());
      JobVertex target = graph().vertex(edge.target());
      List<EdgePlan> leaving = outputs.computeIfAbsent(source.id(), id -> new ArrayList<>());
      List<EdgePlan> reaching = inputs.computeIfAbsent(target.id(), id -> new ArrayList<>());
      EdgePlan plan =
          new EdgePlan(
              edge,
              source,
              target,
              leaving.size(),
              reaching.size(),
              tasksOf.computeIfAbsent(source.id(), id -> new Task[source.parallelism()]),
              tasksOf.computeIfAbsent(target.id(), id -> new Task[target.parallelism()]),
              hosts.computeIfAbsent(source.id(), id -> hostsOf(source)),
              hosts.computeIfAbsent(target.id(), id -> hostsOf(target)));
      leaving.add(plan);
      reaching.add(plan);
      edges.add(plan);
    }
  }

  private int[] hostsOf(JobVertex vertex) {
    return deployment.placement().hostOf(vertex.id(), vertex.parallelism());
  }

  JobGraph graph() {
    return deployment.graph();
  }

  Deployment deployment() {
    return deployment;
  }

  ClassLoader classes() {
    return classes;
  }

  TaskListener listener() {
    return listener;
  }

  DataPlane host() {
    return host;
  }

  Cores cores() {
    return host.cores();
  }

  /** What the job says, or else the host. */
  <T> T option(Option<T> option) {
    return host.option(option, graph());
  }

  LongSupplier clock() {
    return host.clock();
  }

  FileSystems files() {
    return host.files();
  }

  List<Task> tasks() {
    return tasks;
  }

  /** The edge with this id, empty if the graph has none such. */
  Optional<EdgePlan> edge(int id) {
    return id >= 0 && id < edges.size() ? Optional.of(edges.get(id)) : Optional.empty();
  }

  List<EdgePlan> inputsOf(VertexId vertex) {
    return inputs.getOrDefault(vertex, List.of());
  }

  List<EdgePlan> outputsOf(VertexId vertex) {
    return outputs.getOrDefault(vertex, List.of());
  }

  /** When records leave its tasks. */
  Flushing flushing() {
    return flushing;
  }

  /** Time between the interrupts of a task that is to end and does not. */
  Duration cancellationInterval() {
    return cancellationInterval;
  }

  /** What carries its records from and to other hosts. */
  ReservedBuffers buffers() {
    return buffers.orElseThrow(
        () -> new MillraceException(ErrorKind.BUG, "A host without a data port has no buffers"));
  }

  /** Gives its buffers back. */
  void close() {
    if (buffers.isPresent()) {
      buffers.get().close();
    }
  }

  Link link(int host) {
    return links.to(host);
  }

  List<TaskCounters> counters() {
    return tasks.stream().map(Task::counters).toList();
  }

  /** A codec for one batch; given back with {@link #returnCodec}. */
  RecordCodec borrowCodec() {
    RecordCodec codec = codecs.pollFirst();
    return codec == null
        ? new RecordCodec(classes, cores()::outside, UserObjects.serializers(graph(), classes))
        : codec;
  }

  void returnCodec(RecordCodec codec) {
    codecs.addFirst(codec);
  }

  /** Somewhere to serialise a batch; given back with {@link #returnSink}. */
  ByteSink borrowSink() {
    ByteSink sink = sinks.pollFirst();
    return sink == null ? new ByteSink() : sink;
  }

  void returnSink(ByteSink sink) {
    sink.clear();
    sinks.addFirst(sink);
  }

  /** Opens a serialised function or operator in the job's class loader. */
  Object open(Bytes serialised) {
    return UserObjects.open(serialised, classes, this::records);
  }

  private Object[] records(Bytes batch) {
    RecordCodec codec = borrowCodec();
    Object[] records = codec.decode(batch.unsafeArray(), 0, batch.length()).records();
    returnCodec(codec);
    return records;
  }

  /** A task runs no more. Its state is reported after this, whatever went wrong here. */
  void left(Task task, TaskState state) {
    boolean last = running.decrementAndGet() == 0;
    List<Runnable> parts = new ArrayList<>();
    if (state != TaskState.FINISHED) {
      parts.add(() -> host.partitions().discard(task.execution()));
    }
    if (last) {
      parts.add(links::close);
      parts.add(codecs::clear);
      parts.add(sinks::clear);
      // Before the last state is reported: who hears it may release the job at once.
      parts.add(whenAllEnded);
    }
    parts.add(() -> listener.counted(task.counters()));
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (Throwable thrown) {
        LOG.error("Task {} has left something behind", task.label(), thrown);
      }
    }
  }

  Past past() {
    return new Past(subtasks(), counters());
  }

  private Set<Subtask> subtasks() {
    Set<Subtask> all = new HashSet<>();
    for (TaskSpec spec : deployment.tasks()) {
      all.add(new Subtask(spec.vertex(), spec.subtask()));
    }
    return all;
  }

  private record Subtask(VertexId vertex, int index) {}

  /** What is remembered of a deployment whose tasks have ended. */
  record Past(Set<Subtask> subtasks, List<TaskCounters> counters) {
    /** Whether the other one runs one of the same subtasks again. */
    boolean isReplacedBy(Deployed later) {
      return !Collections.disjoint(subtasks, later.subtasks());
    }
  }
}
