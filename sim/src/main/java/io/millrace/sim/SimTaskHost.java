package io.millrace.sim;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.task.ClusterPartition;
import io.millrace.graph.task.Deployment;
import io.millrace.graph.task.TaskCounters;
import io.millrace.graph.task.TaskHost;
import io.millrace.graph.task.TaskListener;
import io.millrace.graph.task.TaskSpec;
import io.millrace.graph.task.TaskState;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Tasks as small simulated programs: they initialise, run for a while and finish, or fail. */
public final class SimTaskHost implements TaskHost {
  /**
   * How simulated tasks behave.
   *
   * @param longestRun a task runs for up to this long
   * @param failureProbability how likely it is that a task fails instead of finishing
   * @param longestCancellation a task takes up to this long to notice that it is cancelled
   */
  public record Behaviour(
      Duration longestRun, double failureProbability, Duration longestCancellation) {
    public Behaviour(Duration longestRun, double failureProbability) {
      this(longestRun, failureProbability, Duration.ofMillis(50));
    }
  }

  private final Mailbox mailbox;
  private final RandomGenerator random;
  private final String address;
  private final Behaviour behaviour;
  private final Map<ExecutionId, Running> running = new LinkedHashMap<>();

  /** What finished tasks have left, until their job ends. */
  private final Map<ExecutionId, List<ClusterPartition>> unkept = new LinkedHashMap<>();

  private final Set<ClusterPartition> kept = new LinkedHashSet<>();
  private int deployed;

  private final class Running {
    private final TaskSpec spec;
    private final TaskListener listener;
    private final List<ClusterPartition> leaves;
    private Mailbox.Timer next = () -> {};

    Running(TaskSpec spec, TaskListener listener, List<ClusterPartition> leaves) {
      this.spec = spec;
      this.listener = listener;
      this.leaves = leaves;
    }

    void in(long atMostMillis, Runnable action) {
      next = mailbox.after(Duration.ofMillis(1 + random.nextLong(atMostMillis)), action);
    }

    void end(TaskState state, Optional<Failure> failure) {
      next.cancel();
      running.remove(spec.execution());
      listener.stateChanged(spec.execution(), state, failure);
    }

    void run() {
      listener.stateChanged(spec.execution(), TaskState.RUNNING, Optional.empty());
      boolean fails = random.nextDouble() < behaviour.failureProbability();
      in(
          behaviour.longestRun().toMillis(),
          () -> {
            if (fails) {
              end(
                  TaskState.FAILED,
                  Optional.of(
                      Failure.of(ErrorKind.USER, "Subtask " + spec.subtask() + " gave up")));
            } else {
              if (!leaves.isEmpty()) {
                unkept.put(spec.execution(), leaves);
              }
              end(TaskState.FINISHED, Optional.empty());
            }
          });
    }
  }

  public SimTaskHost(Env env, String address, Behaviour behaviour) {
    this.mailbox = env.mailbox("tasks");
    this.random = env.random("tasks");
    this.address = address;
    this.behaviour = behaviour;
  }

  @Override
  public String dataAddress() {
    return address;
  }

  @Override
  public void deploy(Deployment deployment, ClassLoader userClasses, TaskListener listener) {
    for (TaskSpec spec : deployment.tasks()) {
      Running task = new Running(spec, listener, leavings(deployment.graph(), spec));
      if (running.put(spec.execution(), task) != null) {
        throw new IllegalStateException("Execution " + spec.execution() + " was deployed twice");
      }
      deployed++;
      task.in(
          20,
          () -> {
            listener.stateChanged(spec.execution(), TaskState.INITIALIZING, Optional.empty());
            task.in(20, task::run);
          });
    }
  }

  private static List<ClusterPartition> leavings(JobGraph graph, TaskSpec spec) {
    JobVertex vertex = graph.vertex(spec.vertex());
    return vertex.dataSets().stream()
        .map(id -> new ClusterPartition(id, graph.id(), 0, spec.subtask(), vertex.parallelism()))
        .toList();
  }

  @Override
  public void cancel(ExecutionId execution) {
    Running task = running.get(execution);
    if (task != null) {
      task.next.cancel();
      task.in(
          behaviour.longestCancellation().toMillis(),
          () -> task.end(TaskState.CANCELED, Optional.empty()));
    }
  }

  /** The tasks that run here now. */
  public List<TaskSpec> running() {
    return running.values().stream().map(task -> task.spec).toList();
  }

  /** How many tasks were ever deployed here. */
  public int deployed() {
    return deployed;
  }

  @Override
  public List<TaskCounters> counters(JobId job) {
    return new ArrayList<>();
  }

  @Override
  public boolean hasResultsOf(JobId job) {
    return unkept.values().stream().anyMatch(left -> left.get(0).producer().equals(job));
  }

  @Override
  public void keep(long term, List<ExecutionId> executions) {
    for (ExecutionId execution : executions) {
      unkept
          .getOrDefault(execution, new ArrayList<>())
          .forEach(left -> kept.add(left.finishedIn(term)));
      unkept.remove(execution);
    }
  }

  @Override
  public List<ClusterPartition> kept() {
    return new ArrayList<>(kept);
  }

  @Override
  public void drop(List<ClusterPartition> partitions) {
    kept.removeAll(partitions);
  }

  @Override
  public void release(JobId job) {
    unkept.values().removeIf(left -> left.get(0).producer().equals(job));
  }

  @Override
  public void close() {
    running.clear();
    unkept.clear();
    kept.clear();
  }
}
