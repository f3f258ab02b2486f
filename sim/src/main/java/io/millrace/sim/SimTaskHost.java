package io.millrace.sim;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private int deployed;

  private final class Running {
    private final TaskSpec spec;
    private final TaskListener listener;
    private Mailbox.Timer next = () -> {};

    Running(TaskSpec spec, TaskListener listener) {
      this.spec = spec;
      this.listener = listener;
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
      Running task = new Running(spec, listener);
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
  public void release(JobId job) {}

  @Override
  public void close() {
    running.clear();
  }
}
