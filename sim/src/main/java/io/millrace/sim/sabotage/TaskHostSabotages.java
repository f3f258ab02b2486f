package io.millrace.sim.sabotage;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.task.Deployment;
import io.millrace.task.TaskHost;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Sabotages of the task host of a TaskManager. */
final class TaskHostSabotages {
  private TaskHostSabotages() {}

  /** Reports the end of a task when it is cancelled; the task runs for a while longer. */
  static final class TaskEndReportedEarly extends SimWiring {
    private static final Duration WHILE = Duration.ofSeconds(10);

    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new DelegatingTaskHost(real) {
        private final Map<ExecutionId, TaskListener> listeners = new LinkedHashMap<>();

        @Override
        public void deploy(Deployment deployment, ClassLoader classes, TaskListener listener) {
          TaskListener first = new Once(listener);
          deployment.tasks().forEach(task -> listeners.put(task.execution(), first));
          super.deploy(deployment, classes, first);
        }

        @Override
        public void cancel(ExecutionId execution) {
          TaskListener listener = listeners.remove(execution);
          if (listener != null) {
            listener.stateChanged(execution, TaskState.CANCELED, Optional.empty());
            process.schedule(WHILE, "task really ends", () -> super.cancel(execution));
          }
        }
      };
    }
  }

  /** Passes only the first end of each task. */
  private static class Once implements TaskListener {
    private final TaskListener real;
    private final Set<ExecutionId> ended = new LinkedHashSet<>();

    Once(TaskListener real) {
      this.real = real;
    }

    @Override
    public void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure) {
      if (!ended.contains(execution)) {
        if (state.isTerminal()) {
          ended.add(execution);
        }
        real.stateChanged(execution, state, failure);
      }
    }

    @Override
    public void collected(
        ExecutionId execution, String name, Bytes records, int count, Runnable accepted) {
      real.collected(execution, name, records, count, accepted);
    }
  }

  /** Once on each worker, reports the failure of a task that runs for a while longer. */
  static final class TaskFailureReportedEarly extends SimWiring {
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Duration WHILE = Duration.ofSeconds(10);

    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new DelegatingTaskHost(real) {
        private Optional<ExecutionId> chosen = Optional.empty();
        private boolean told;

        @Override
        public void deploy(Deployment deployment, ClassLoader classes, TaskListener listener) {
          TaskListener first = new Once(listener);
          if (chosen.isEmpty()) {
            ExecutionId task = deployment.tasks().get(0).execution();
            chosen = Optional.of(task);
            process.schedule(SOON, "task seems to fail", () -> tell(task, first));
          }
          super.deploy(deployment, classes, first);
        }

        private void tell(ExecutionId task, TaskListener listener) {
          told = true;
          listener.stateChanged(
              task,
              TaskState.FAILED,
              Optional.of(Failure.of(ErrorKind.USER, "It is said to have failed.")));
          process.schedule(WHILE, "task really ends", () -> super.cancel(task));
        }

        @Override
        public void cancel(ExecutionId execution) {
          if (!told || !chosen.equals(Optional.of(execution))) {
            super.cancel(execution);
          }
        }
      };
    }
  }

  /** Starts a failed task again without a report. */
  static final class FailedAttemptRestarted extends SimWiring {
    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new DelegatingTaskHost(real) {
        @Override
        public void deploy(Deployment deployment, ClassLoader classes, TaskListener listener) {
          super.deploy(
              deployment,
              classes,
              new Once(listener) {
                @Override
                public void stateChanged(
                    ExecutionId execution, TaskState state, Optional<Failure> failure) {
                  if (state == TaskState.FAILED) {
                    again(only(deployment, execution), classes, this);
                  } else {
                    super.stateChanged(execution, state, failure);
                  }
                }
              });
        }

        private void again(Deployment deployment, ClassLoader classes, TaskListener listener) {
          super.deploy(deployment, classes, listener);
        }
      };
    }

    private static Deployment only(Deployment deployment, ExecutionId execution) {
      List<TaskSpec> one =
          deployment.tasks().stream().filter(task -> task.execution().equals(execution)).toList();
      return new Deployment(
          deployment.graph(),
          deployment.number(),
          one,
          deployment.placement(),
          deployment.slots(),
          deployment.restores());
    }
  }
}
