package io.millrace.dataplane.exchange;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.VertexId;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.dataplane.services.DeploymentContext;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.dataplane.wire.LocalBufferPool;
import io.millrace.dataplane.wire.NetworkBufferPool;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobVertex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The edges of a deployment on this host, the streams to other hosts and the network buffers that
 * carry them. Fixed once it is built, except for the streams, which open with the first record.
 */
public final class DeploymentExchange implements AutoCloseable {
  private final DeploymentContext deployment;
  private final List<? extends ExchangeTask> tasks;
  private final List<ExchangeEdge> edges = new ArrayList<>();
  private final Map<VertexId, List<ExchangeEdge>> inputs = new HashMap<>();
  private final Map<VertexId, List<ExchangeEdge>> outputs = new HashMap<>();
  private final FlushPolicy flushPolicy;
  private final RemoteOutputs remoteOutputs;
  private Optional<LocalBufferPool> buffers = Optional.empty();

  /**
   * @param tasks all tasks of the deployment on this host
   * @param byVertex the same tasks by subtask, null where a subtask runs on another host
   */
  public DeploymentExchange(
      DeploymentContext deployment,
      List<? extends ExchangeTask> tasks,
      Map<VertexId, ? extends ExchangeTask[]> byVertex) {
    this.deployment = deployment;
    this.tasks = tasks;
    this.flushPolicy = FlushPolicy.of(deployment.graph().configuration());
    this.remoteOutputs = new RemoteOutputs(this);
    Map<VertexId, ExchangeTask[]> local = new HashMap<>(byVertex);
    Map<VertexId, int[]> hosts = new HashMap<>();
    for (JobEdge edge : deployment.graph().edges()) {
      JobVertex source = deployment.graph().vertex(edge.source());
      JobVertex target = deployment.graph().vertex(edge.target());
      List<ExchangeEdge> leaving = outputs.computeIfAbsent(source.id(), id -> new ArrayList<>());
      List<ExchangeEdge> reaching = inputs.computeIfAbsent(target.id(), id -> new ArrayList<>());
      ExchangeEdge planned =
          new ExchangeEdge(
              edge,
              source,
              target,
              leaving.size(),
              reaching.size(),
              local.computeIfAbsent(source.id(), id -> new ExchangeTask[source.parallelism()]),
              local.computeIfAbsent(target.id(), id -> new ExchangeTask[target.parallelism()]),
              hosts.computeIfAbsent(source.id(), id -> hostsOf(source)),
              hosts.computeIfAbsent(target.id(), id -> hostsOf(target)));
      leaving.add(planned);
      reaching.add(planned);
      edges.add(planned);
    }
  }

  private int[] hostsOf(JobVertex vertex) {
    return deployment.descriptor().placement().hostOf(vertex.id(), vertex.parallelism());
  }

  /** Reserves the network buffers; {@link #close} gives them back. */
  public void reserveBuffers() {
    Optional<NetworkBufferPool> pool = deployment.services().networkBufferPool();
    if (pool.isPresent()) {
      buffers = Optional.of(new NetworkBufferDemand(edges).reserve(pool.get()));
    }
  }

  /** Opens the writer of an edge that leaves a task. */
  public RecordWriter openWriter(TaskEnvironment task, ExchangeEdge edge) {
    return RecordWriters.open(task, edge, this);
  }

  /** Accepts frames from other hosts for the tasks of this deployment. */
  public DataTransport.Receiver receiver() {
    return new RemoteInput(this);
  }

  public List<ExchangeEdge> inputsOf(VertexId vertex) {
    return inputs.getOrDefault(vertex, List.of());
  }

  public List<ExchangeEdge> outputsOf(VertexId vertex) {
    return outputs.getOrDefault(vertex, List.of());
  }

  DeploymentContext deployment() {
    return deployment;
  }

  List<? extends ExchangeTask> tasks() {
    return tasks;
  }

  /** The edge with this id, empty if the graph has no such edge. */
  Optional<ExchangeEdge> edge(int id) {
    return id >= 0 && id < edges.size() ? Optional.of(edges.get(id)) : Optional.empty();
  }

  FlushPolicy flushPolicy() {
    return flushPolicy;
  }

  RemoteOutput remoteOutput(int host) {
    return remoteOutputs.to(host);
  }

  LocalBufferPool buffers() {
    return buffers.orElseThrow(
        () -> new MillraceException(ErrorKind.BUG, "A process without a data port has no buffers"));
  }

  /** Closes the streams to other hosts. */
  public void closeStreams() {
    remoteOutputs.close();
  }

  /** Gives the network buffers back. */
  @Override
  public void close() {
    if (buffers.isPresent()) {
      buffers.get().close();
    }
  }
}
