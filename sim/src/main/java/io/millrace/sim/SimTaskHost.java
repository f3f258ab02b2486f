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
import io.millrace.task.checkpoint.CheckpointRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Simulated tasks: they initialise, run for a time, and finish, fail or run until they are
 * cancelled. A cancelled task ends with a delay.
 */
public final class SimTaskHost implements TaskHost {
  /**
   * The behaviour of the tasks of a job.
   *
   * @param longestRun the maximum run time of a task; zero for unbounded tasks
   * @param failing the probability that a task fails instead of finishing
   * @param longestCancellation the maximum time until a cancelled task ends
   */
  public record Behaviour(Duration longestRun, double failing, Duration longestCancellation) {
    public boolean isEndless() {
      return longestRun.isZero();
    }
  }

  /** Receives the events of tasks when they happen. */
  public interface Listener {
    Listener NONE =
        new Listener() {
          @Override
          public void deployed(SimTaskHost host, Task task) {}

          @Override
          public void ended(SimTaskHost host, Task task, TaskState state) {}
        };

    void deployed(SimTaskHost host, Task task);

    void ended(SimTaskHost host, Task task, TaskState state);
  }

  /** A deployed task. */
  public static final class Task {
    private final JobId job;
    private final String group;
    private final TaskSpec spec;
    private final long number;
    private final long since;
    private final Placement placement;
    private Optional<SimDataflowTask> state = Optional.empty();
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

    /** Its slot sharing group. */
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

    /** The placement that it was deployed with. */
    public Placement placement() {
      return placement;
    }

    /** Its part of the data flow, in a job with checkpoints. */
    public Optional<SimDataflowTask> dataflow() {
      return state;
    }

    /** Whether it was cancelled. */
    public boolean isCancelled() {
      return cancelled;
    }
  }

  private final SimProcess process;
  private final Mailbox mailbox;
  private final RandomGenerator random;
  private final Function<JobId, Behaviour> behaviours;
  private final Listener taskListener;
  private final Map<ExecutionId, Task> running = new LinkedHashMap<>();
  private final SimResults results = new SimResults();
  private final SimDataflowHost dataflow;

  /**
   * @param flow what flows between the tasks of jobs with checkpoints
   */
  public SimTaskHost(
      SimProcess process,
      Function<JobId, Behaviour> behaviours,
      Listener taskListener,
      SimDataflow flow,
      SimCheckpointStorage.View checkpoints,
      SimDataflow.Flaw flaw) {
    this.process = process;
    this.mailbox = process.mailbox("tasks");
    this.random = process.random("tasks");
    this.behaviours = behaviours;
    this.taskListener = taskListener;
    this.dataflow = flow.of(process, mailbox, checkpoints, flaw);
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
      taskListener.deployed(this, task);
      running.put(spec.execution(), task);
      if (SimDataflow.isCheckpointed(deployment.graph())) {
        task.state =
            Optional.of(
                dataflow.deploy(
                    deployment.graph(),
                    deployment.number(),
                    spec,
                    deployment.restoreOf(spec.execution()),
                    behaviour,
                    listener));
      }
      after(
          task,
          20,
          () -> {
            listener.stateChanged(spec.execution(), TaskState.INITIALIZING, Optional.empty());
            List<ClusterPartition> partitions = SimResults.of(deployment.graph(), spec);
            after(task, 20, () -> run(task, behaviour, listener, partitions));
          });
      listeners.put(spec.execution(), listener);
    }
  }

  private final Map<ExecutionId, TaskListener> listeners = new LinkedHashMap<>();

  private void run(
      Task task, Behaviour behaviour, TaskListener listener, List<ClusterPartition> partitions) {
    listener.stateChanged(task.spec.execution(), TaskState.RUNNING, Optional.empty());
    Optional<Failure> unreadable = task.state.flatMap(SimDataflowTask::unreadable);
    boolean fails = unreadable.isPresent() || random.nextDouble() < behaviour.failing();
    if (task.state.isPresent() && !fails) {
      task.state
          .get()
          .run(
              () -> {
                if (!task.cancelled) {
                  results.finished(task.spec.execution(), partitions);
                  end(task, TaskState.FINISHED);
                }
              },
              failure -> {
                if (!task.cancelled) {
                  fail(task, failure);
                }
              });
      return;
    }
    if (behaviour.isEndless() && !fails) {
      return;
    }
    task.state.ifPresent(flow -> flow.run(() -> {}, failure -> {}));
    long longest =
        unreadable.isPresent()
            ? 20
            : behaviour.isEndless() ? 20_000 : behaviour.longestRun().toMillis();
    after(
        task,
        longest,
        () -> {
          if (fails) {
            fail(
                task,
                unreadable.orElseGet(
                    () ->
                        Failure.of(ErrorKind.USER, "Subtask " + task.spec.subtask() + " gave up")));
          } else {
            results.finished(task.spec.execution(), partitions);
            end(task, TaskState.FINISHED);
          }
        });
  }

  private void after(Task task, long atMostMillis, Runnable action) {
    task.next =
        mailbox.after(Duration.ofMillis(1 + random.nextLong(Math.max(1, atMostMillis))), action);
  }

  private void fail(Task task, Failure failure) {
    remove(task, TaskState.FAILED)
        .stateChanged(task.spec.execution(), TaskState.FAILED, Optional.of(failure));
  }

  private void end(Task task, TaskState state) {
    remove(task, state).stateChanged(task.spec.execution(), state, Optional.empty());
  }

  private TaskListener remove(Task task, TaskState state) {
    task.next.cancel();
    running.remove(task.spec.execution());
    task.state.ifPresent(flow -> flow.ended(state == TaskState.FINISHED));
    taskListener.ended(this, task, state);
    return listeners.remove(task.spec.execution());
  }

  @Override
  public void cancel(ExecutionId execution) {
    Task task = running.get(execution);
    if (task != null && !task.cancelled) {
      task.cancelled = true;
      task.state.ifPresent(SimDataflowTask::cancel);
      task.next.cancel();
      after(
          task,
          behaviours.apply(task.job).longestCancellation().toMillis(),
          () -> end(task, TaskState.CANCELED));
    }
  }

  @Override
  public void triggerCheckpoint(JobId job, CheckpointRequest request, List<ExecutionId> sources) {
    dataflow.trigger(request, sources);
  }

  @Override
  public void checkpointCompleted(JobId job, long checkpoint) {
    mailbox.post(() -> dataflow.completed(job, checkpoint));
  }

  @Override
  public void checkpointAborted(JobId job, long checkpoint) {
    mailbox.post(() -> dataflow.aborted(job, checkpoint));
  }

  @Override
  public void earlierCheckpointsAborted(JobId job, long checkpoint) {
    mailbox.post(() -> dataflow.earlierAborted(job, checkpoint));
  }

  /** A task that runs fails now. */
  public void failNow(Task task) {
    mailbox.post(
        () -> {
          if (running.containsKey(task.spec.execution()) && !task.cancelled) {
            fail(task, Failure.of(ErrorKind.EXTERNAL, "Subtask " + task.spec.subtask() + " broke"));
          }
        });
  }

  /** The tasks that run here, including those that are being cancelled. */
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
