package io.millrace.dataplane.task;

import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.VertexId;
import io.millrace.dataplane.exchange.DeploymentExchange;
import io.millrace.dataplane.services.DeploymentContext;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.graph.JobVertex;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of a deployment on this host and the exchange between them. */
public final class RunningDeployment {
  private static final Logger LOG = LoggerFactory.getLogger(RunningDeployment.class);

  private final DeploymentContext context;
  private final List<Task> tasks = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private final Runnable whenAllEnded;
  private final Duration cancellationInterval;
  private final DeploymentExchange exchange;

  /**
   * @param whenAllEnded called once, before the last task reports its final state
   */
  public RunningDeployment(DeploymentContext context, Runnable whenAllEnded) {
    this.context = context;
    this.whenAllEnded = whenAllEnded;
    // Read now, so that an invalid value fails the deployment and not a cancellation.
    this.cancellationInterval = context.option(TaskManagerOptions.TASK_CANCELLATION_INTERVAL);
    Map<VertexId, Task[]> byVertex = new LinkedHashMap<>();
    for (TaskSpec spec : context.descriptor().tasks()) {
      JobVertex vertex = context.graph().vertex(spec.vertex());
      if (spec.subtask() >= vertex.parallelism()) {
        throw new MillraceException(
            ErrorKind.BUG, "Vertex '" + vertex.name() + "' has no subtask " + spec.subtask());
      }
      Task task = new Task(this, vertex, spec);
      tasks.add(task);
      byVertex.computeIfAbsent(vertex.id(), id -> new Task[vertex.parallelism()])[spec.subtask()] =
          task;
    }
    running.set(tasks.size());
    exchange = new DeploymentExchange(context, tasks, byVertex);
    for (Task task : tasks) {
      task.connect(exchange);
    }
    // Last, because reserved buffers have to be given back.
    exchange.reserveBuffers();
  }

  public DeploymentContext context() {
    return context;
  }

  public List<Task> tasks() {
    return tasks;
  }

  /** Accepts frames that other hosts send to the tasks. */
  public DataTransport.Receiver receiver() {
    return exchange.receiver();
  }

  Duration cancellationInterval() {
    return cancellationInterval;
  }

  /** Gives the network buffers back. */
  public void close() {
    exchange.close();
  }

  public List<TaskCounters> counters() {
    return tasks.stream().map(Task::counters).toList();
  }

  /**
   * Called by a task that has ended, before it reports its final state. The report follows even if
   * a part of the clean-up throws.
   */
  void taskEnded(Task task, TaskState state) {
    boolean last = running.decrementAndGet() == 0;
    List<Runnable> parts = new ArrayList<>();
    if (state != TaskState.FINISHED) {
      parts.add(() -> context.services().partitions().discard(task.execution()));
    }
    if (last) {
      parts.add(exchange::closeStreams);
      parts.add(context.codecs()::clear);
      parts.add(context.stateCodecs()::clear);
      // Before the last state is reported: the receiver of that report may release the job.
      parts.add(whenAllEnded);
    }
    parts.add(() -> context.listener().counted(task.counters()));
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (Throwable thrown) {
        LOG.error("Cleaning up after task {} failed", task.label(), thrown);
      }
    }
  }

  public EndedDeployment ended() {
    return new EndedDeployment(subtasks(), counters());
  }

  Set<EndedDeployment.Subtask> subtasks() {
    Set<EndedDeployment.Subtask> all = new HashSet<>();
    for (TaskSpec spec : context.descriptor().tasks()) {
      all.add(new EndedDeployment.Subtask(spec.vertex(), spec.subtask()));
    }
    return all;
  }
}
