package io.millrace.dataplane;

import io.millrace.core.Bytes;
import io.millrace.core.config.Option;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.VertexId;
import io.millrace.dataplane.cores.CoreScheduler;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.wire.LocalBufferPool;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.Deployment;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
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
final class RunningDeployment {
  private static final Logger LOG = LoggerFactory.getLogger(RunningDeployment.class);

  private final Deployment descriptor;
  private final ClassLoader userClassLoader;
  private final TaskListener listener;
  private final DataPlane host;
  private final RemoteOutputs remoteOutputs;
  private final ConcurrentLinkedDeque<RecordBatchCodec> codecs = new ConcurrentLinkedDeque<>();
  private final ConcurrentLinkedDeque<ByteArrayOutput> sinks = new ConcurrentLinkedDeque<>();
  private final Map<VertexId, List<ExchangeEdge>> inputs = new HashMap<>();
  private final Map<VertexId, List<ExchangeEdge>> outputs = new HashMap<>();
  private final Map<VertexId, Task[]> tasksOf = new LinkedHashMap<>();
  private final List<Task> tasks = new ArrayList<>();
  private final List<ExchangeEdge> edges = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private final Runnable whenAllEnded;
  private final FlushPolicy flushPolicy;
  private final Duration cancellationInterval;
  private final Optional<LocalBufferPool> buffers;

  RunningDeployment(
      Deployment descriptor,
      ClassLoader userClassLoader,
      TaskListener listener,
      DataPlane host,
      Runnable whenAllEnded) {
    this.descriptor = descriptor;
    this.userClassLoader = userClassLoader;
    this.listener = listener;
    this.host = host;
    this.whenAllEnded = whenAllEnded;
    this.remoteOutputs = new RemoteOutputs(this, host);
    this.flushPolicy = FlushPolicy.of(descriptor.graph().configuration());
    // Read now, so that a value that cannot be read fails the deployment and not a cancellation.
    this.cancellationInterval = option(Options.TASK_CANCELLATION_INTERVAL);
    for (TaskSpec spec : descriptor.tasks()) {
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
      List<ExchangeEdge> leaving = outputs.computeIfAbsent(source.id(), id -> new ArrayList<>());
      List<ExchangeEdge> reaching = inputs.computeIfAbsent(target.id(), id -> new ArrayList<>());
      ExchangeEdge plan =
          new ExchangeEdge(
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
    return descriptor.placement().hostOf(vertex.id(), vertex.parallelism());
  }

  JobGraph graph() {
    return descriptor.graph();
  }

  Deployment descriptor() {
    return descriptor;
  }

  ClassLoader userClassLoader() {
    return userClassLoader;
  }

  TaskListener listener() {
    return listener;
  }

  DataPlane host() {
    return host;
  }

  CoreScheduler cores() {
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
  Optional<ExchangeEdge> edge(int id) {
    return id >= 0 && id < edges.size() ? Optional.of(edges.get(id)) : Optional.empty();
  }

  List<ExchangeEdge> inputsOf(VertexId vertex) {
    return inputs.getOrDefault(vertex, List.of());
  }

  List<ExchangeEdge> outputsOf(VertexId vertex) {
    return outputs.getOrDefault(vertex, List.of());
  }

  /** When records leave its tasks. */
  FlushPolicy flushPolicy() {
    return flushPolicy;
  }

  /** Time between the interrupts of a task that is to end and does not. */
  Duration cancellationInterval() {
    return cancellationInterval;
  }

  /** What carries its records from and to other hosts. */
  LocalBufferPool buffers() {
    return buffers.orElseThrow(
        () -> new MillraceException(ErrorKind.BUG, "A host without a data port has no buffers"));
  }

  /** Gives its buffers back. */
  void close() {
    if (buffers.isPresent()) {
      buffers.get().close();
    }
  }

  RemoteOutput remoteOutput(int host) {
    return remoteOutputs.to(host);
  }

  List<TaskCounters> counters() {
    return tasks.stream().map(Task::counters).toList();
  }

  /** A codec for one batch; given back with {@link #returnCodec}. */
  RecordBatchCodec borrowCodec() {
    RecordBatchCodec codec = codecs.pollFirst();
    return codec == null
        ? new RecordBatchCodec(
            userClassLoader,
            cores()::outside,
            UserCodeObjectInputStream.serializers(graph(), userClassLoader))
        : codec;
  }

  void returnCodec(RecordBatchCodec codec) {
    codecs.addFirst(codec);
  }

  /** Somewhere to serialise a batch; given back with {@link #returnSink}. */
  ByteArrayOutput borrowSink() {
    ByteArrayOutput sink = sinks.pollFirst();
    return sink == null ? new ByteArrayOutput() : sink;
  }

  void returnSink(ByteArrayOutput sink) {
    sink.clear();
    sinks.addFirst(sink);
  }

  /** Opens a serialised function or operator in the job's class loader. */
  Object open(Bytes serialised) {
    return UserCodeObjectInputStream.open(serialised, userClassLoader);
  }

  /** A task runs no more. Its state is reported after this, whatever went wrong here. */
  void taskEnded(Task task, TaskState state) {
    boolean last = running.decrementAndGet() == 0;
    List<Runnable> parts = new ArrayList<>();
    if (state != TaskState.FINISHED) {
      parts.add(() -> host.partitions().discard(task.execution()));
    }
    if (last) {
      parts.add(remoteOutputs::close);
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

  EndedDeployment ended() {
    return new EndedDeployment(subtasks(), counters());
  }

  Set<EndedDeployment.Subtask> subtasks() {
    Set<EndedDeployment.Subtask> all = new HashSet<>();
    for (TaskSpec spec : descriptor.tasks()) {
      all.add(new EndedDeployment.Subtask(spec.vertex(), spec.subtask()));
    }
    return all;
  }
}
