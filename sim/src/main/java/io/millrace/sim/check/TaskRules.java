package io.millrace.sim.check;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.JobMasterGateway.WorkerLeaves;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.TaskExecutorEvent;
import io.millrace.protocol.reason.PeerReason.NoSlotLeft;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTaskHost;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Invariants of what JobMasters and workers report to each other about tasks. */
final class TaskRules {
  /** The bits of a deployment number that count deployments within a term. */
  private static final int NUMBER_BITS = 20;

  private static final String JOB_MASTER = "jobmaster-";

  private TaskRules() {}

  /**
   * Compares the tasks of the worker at the time of the request with the report that the JobMaster
   * receives: a JobMaster takes a task that is not in the report for lost. Tasks of a leader that
   * the worker has lost do not count.
   */
  static final class TaskReportsAreComplete extends Invariant {

    private final Map<ExecutionId, Known> known = new LinkedHashMap<>();
    private final Map<String, Set<ExecutionId>> expected = new LinkedHashMap<>();
    private final Set<ExecutionId> ended = new LinkedHashSet<>();

    private record Known(SimProcess worker, JobId job, long term) {}

    TaskReportsAreComplete() {
      super(
          "A worker reports every task that it has started, and stays registered at the"
              + " JobMaster, until the JobMaster has confirmed the end of the task.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed deployed) {
        SimTaskHost.Task task = deployed.task();
        known.put(
            task.spec().execution(),
            new Known(deployed.host().process(), task.job(), task.number() >> NUMBER_BITS));
      } else if (fact instanceof Fact.TaskEnded end) {
        ended.add(end.task().spec().execution());
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof WorkerLeaves notice
          && notice.reason() instanceof NoSlotLeft) {
        leaves(sent);
      } else if (fact instanceof Fact.Heard heard
          && heard.call().message() instanceof TaskUpdates updates
          && heard.answer() instanceof Envelope.Reply) {
        for (TaskUpdate update : updates.updates()) {
          if (update.state().isTerminal()) {
            known.remove(update.execution());
          }
        }
      } else if (fact instanceof Fact.Decided decided
          && (decided.entry().event() instanceof TaskExecutorEvent.JobMasterDisconnected
              || decided.entry().event() instanceof TaskExecutorEvent.JobRemoved)) {
        JobId job = decided.entry().job().orElseThrow();
        known
            .values()
            .removeIf(task -> task.worker() == decided.process() && task.job().equals(job));
      } else if (fact instanceof Fact.Answered answered
          && answered.call().message() instanceof AskTasks question
          && answered.answer() instanceof Envelope.Reply) {
        expected.put(
            answered.to() + "<" + answered.by().name() + " " + answered.call().correlation(),
            expectedOf(answered.by(), question));
      } else if (fact instanceof Fact.Heard heard
          && heard.call().message() instanceof AskTasks question
          && heard.answer() instanceof Envelope.Reply reply) {
        heard(heard, question, (TaskReport) reply.message());
      }
    }

    private void leaves(Fact.Sent sent) {
      known.forEach(
          (execution, task) -> {
            if (ended.contains(execution)
                && task.worker().isAlive()
                && task.worker().name().equals(sent.from())
                && sent.call().endpoint().equals(JOB_MASTER + task.job())
                && sent.call().token().filter(to -> to.term() == task.term()).isPresent()) {
              throw broken(
                  sent.from()
                      + " disconnects from the JobMaster of job "
                      + task.job()
                      + ", whose leader has not confirmed the end of "
                      + execution);
            }
          });
    }

    private Set<ExecutionId> expectedOf(SimProcess worker, AskTasks question) {
      Set<ExecutionId> tasks = new LinkedHashSet<>();
      known.forEach(
          (execution, task) -> {
            if (task.worker() == worker
                && task.job().equals(question.job())
                && task.term() == question.jobMaster().term()) {
              tasks.add(execution);
            }
          });
      return tasks;
    }

    private void heard(Fact.Heard heard, AskTasks question, TaskReport report) {
      Set<ExecutionId> missing =
          expected.remove(
              heard.at().name() + "<" + heard.from() + " " + heard.call().correlation());
      if (missing != null) {
        report.executions().forEach(missing::remove);
        if (!missing.isEmpty()) {
          throw broken(
              "The report of " + heard.from() + " on job " + question.job() + " lacks " + missing);
        }
      }
    }
  }

  /**
   * A JobMaster that drops a worker notifies it, whatever the reason. If the two are partitioned,
   * or one of them has ended or is frozen, the worker notices by itself.
   */
  static final class TasksOfLostWorkersEnd extends Invariant {
    private static final long SOON = Duration.ofSeconds(5).toNanos();

    private final Map<String, Long> terms = new LinkedHashMap<>();
    private final Deque<DroppedWorker> all = new ArrayDeque<>();

    /**
     * @param tasks the tasks that ran there and were not being cancelled
     */
    private record DroppedWorker(
        SimProcess jobMaster,
        SimulatedWorld.Worker worker,
        List<SimTaskHost.Task> tasks,
        long due) {}

    TasksOfLostWorkersEnd() {
      super("A worker soon ends the tasks of a JobMaster that takes it for lost.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted && granted.component().startsWith(JOB_MASTER)) {
        terms.put(granted.process() + " " + granted.component(), granted.token().term());
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof JobMasterEvent.WorkerLost) {
        dropped(decided.process(), decided.entry());
      }
    }

    private void dropped(SimProcess jobMaster, JournalEntry event) {
      Long term = terms.get(jobMaster + " " + JOB_MASTER + event.job().orElseThrow());
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (worker.name().equals(event.worker().orElseThrow().value())
            && reaches(jobMaster, worker)) {
          List<SimTaskHost.Task> tasks =
              worker.host().running().stream()
                  .filter(task -> task.job().equals(event.job().orElseThrow()))
                  .filter(task -> term != null && task.number() >> NUMBER_BITS == term)
                  .filter(task -> !task.isCancelled())
                  .toList();
          all.add(new DroppedWorker(jobMaster, worker, tasks, world().nanos() + SOON));
        }
      }
    }

    private boolean reaches(SimProcess jobMaster, SimulatedWorld.Worker worker) {
      return jobMaster.isAlive()
          && worker.process().isAlive()
          && !worker.process().isFrozen()
          && !world().isPartitioned(jobMaster.name(), worker.name())
          // A connection that broke is not opened again without answers.
          && !world().isPartitioned(worker.name(), jobMaster.name());
    }

    @Override
    protected void afterEvent() {
      while (!all.isEmpty() && all.peek().due() <= world().nanos()) {
        DroppedWorker lost = all.remove();
        List<SimTaskHost.Task> running = lost.worker().host().running();
        for (SimTaskHost.Task task : lost.tasks()) {
          if (reaches(lost.jobMaster(), lost.worker())
              && !task.isCancelled()
              && running.contains(task)) {
            throw broken(
                lost.worker().name()
                    + " was dropped by its JobMaster 5 s ago and runs "
                    + task.spec());
          }
        }
      }
    }
  }
}
