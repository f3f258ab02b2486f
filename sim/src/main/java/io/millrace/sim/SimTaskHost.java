package io.millrace.sim;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.rpc.Mailbox;
import io.millrace.task.ClusterPartition;
import io.millrace.task.Deployment;
import io.millrace.task.Placement;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskHost;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Tasks as small simulated programs: they initialise, run for a while and finish, fail, or go on
 * until they are cancelled, which some of them take their time to notice.
 */
public final class SimTaskHost implements TaskHost {
  /**
   * How the tasks of a job behave.
   *
   * @param longestRun a task runs for up to this long; zero is for ever
   * @param failing how likely it is that a task fails instead of finishing
   * @param longestCancellation a task takes up to this long to notice that it is cancelled
   */
  public record Behaviour(Duration longestRun, double failing, Duration longestCancellation) {
    public boolean isEndless() {
      return longestRun.isZero();
    }
  }

  /** Hears what tasks do, at the moment in which they do it. */
  public interface Witness {
    Witness NONE =
        new Witness() {
          @Override
          public void deployed(SimTaskHost host, Task task) {}

          @Override
          public void ended(SimTaskHost host, Task task, TaskState state) {}
        };

    void deployed(SimTaskHost host, Task task);

    void ended(SimTaskHost host, Task task, TaskState state);
  }

  /** A task that runs, or is about to. */
  public static final class Task {
    private final JobId job;
    private final String group;
    private final TaskSpec spec;
    private final long number;
    private final long since;
    private final Placement placement;
    private boolean cancelled;
    private Mailbox.Timer next = () -> {};

    Task(JobId job, String group, TaskSpec spec, long number, long since, Placement placement) {
      this.job = job;
      this.group = group;
      this.spec = spec;
      this.number = number;
      this.since = since;
      this.placement = placement;
    }

    public JobId job() {
      return job;
    }

    /** The slot sharing group it belongs to. */
    public String group() {
      return group;
    }

    public TaskSpec spec() {
      return spec;
    }

    /** The number of its deployment. */
    public long number() {
      return number;
    }

    public long since() {
      return since;
    }

    /** Where it was told that it and others are. */
    public Placement placement() {
      return placement;
    }

    /** Whether it was told to end. */
    public boolean isCancelled() {
      return cancelled;
    }
  }

  private final SimProcess process;
  private final Mailbox mailbox;
  private final RandomGenerator random;
  private final Function<JobId, Behaviour> behaviours;
  private final Witness witness;
  private final Map<ExecutionId, Task> running = new LinkedHashMap<>();
  private final SimResults results = new SimResults();

  public SimTaskHost(SimProcess process, Function<JobId, Behaviour> behaviours, Witness witness) {
    this.process = process;
    this.mailbox = process.mailbox("tasks");
    this.random = process.random("tasks");
    this.behaviours = behaviours;
    this.witness = witness;
  }

  public SimProcess process() {
    return process;
  }

  @Override
  public String dataAddress() {
    return process.name();
  }

  @Override
  public void deploy(Deployment deployment, ClassLoader userClasses, TaskListener listener) {
    JobId job = deployment.graph().id();
    Behaviour behaviour = behaviours.apply(job);
    for (TaskSpec spec : deployment.tasks()) {
      Task task =
          new Task(
              job,
              deployment.graph().vertex(spec.vertex()).slotSharingGroup(),
              spec,
              deployment.number(),
              process.nanos(),
              deployment.placement());
      witness.deployed(this, task);
      running.put(spec.execution(), task);
      in(
          task,
          20,
          () -> {
            listener.stateChanged(spec.execution(), TaskState.INITIALIZING, Optional.empty());
            List<ClusterPartition> leaves = SimResults.of(deployment.graph(), spec);
            in(task, 20, () -> run(task, behaviour, listener, leaves));
          });
      listeners.put(spec.execution(), listener);
    }
  }

  private final Map<ExecutionId, TaskListener> listeners = new LinkedHashMap<>();

  private void run(
      Task task, Behaviour behaviour, TaskListener listener, List<ClusterPartition> leaves) {
    listener.stateChanged(task.spec.execution(), TaskState.RUNNING, Optional.empty());
    boolean fails = random.nextDouble() < behaviour.failing();
    if (behaviour.isEndless() && !fails) {
      return;
    }
    long longest = behaviour.isEndless() ? 20_000 : behaviour.longestRun().toMillis();
    in(
        task,
        longest,
        () -> {
          if (fails) {
            end(
                task,
                TaskState.FAILED,
                Optional.of(
                    Failure.of(ErrorKind.USER, "Subtask " + task.spec.subtask() + " gave up")));
          } else {
            results.finished(task.spec.execution(), leaves);
            end(task, TaskState.FINISHED, Optional.empty());
          }
        });
  }

  private void in(Task task, long atMostMillis, Runnable action) {
    task.next =
        mailbox.after(Duration.ofMillis(1 + random.nextLong(Math.max(1, atMostMillis))), action);
  }

  private void end(Task task, TaskState state, Optional<Failure> failure) {
    task.next.cancel();
    running.remove(task.spec.execution());
    witness.ended(this, task, state);
    listeners.remove(task.spec.execution()).stateChanged(task.spec.execution(), state, failure);
  }

  @Override
  public void cancel(ExecutionId execution) {
    Task task = running.get(execution);
    if (task != null && !task.cancelled) {
      task.cancelled = true;
      task.next.cancel();
      in(
          task,
          behaviours.apply(task.job).longestCancellation().toMillis(),
          () -> end(task, TaskState.CANCELED, Optional.empty()));
    }
  }

  /** The tasks that run here now, those that are being cancelled included. */
  public List<Task> running() {
    return new ArrayList<>(running.values());
  }

  @Override
  public List<TaskCounters> counters(JobId job) {
    return new ArrayList<>();
  }

  @Override
  public boolean hasResultsOf(JobId job) {
    return results.has(job);
  }

  @Override
  public void keep(long term, List<ExecutionId> executions) {
    results.keep(term, executions);
  }

  @Override
  public List<ClusterPartition> kept() {
    return results.kept();
  }

  @Override
  public void drop(List<ClusterPartition> partitions) {
    results.drop(partitions);
  }

  @Override
  public void release(JobId job) {
    results.release(job);
  }

  @Override
  public void close() {
    running.clear();
  }
}
