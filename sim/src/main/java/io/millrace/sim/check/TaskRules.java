package io.millrace.sim.check;

import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.JobMasterGateway.WorkerLeaves;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
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
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

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

    /** What each report of a question should have; a question that is repeated has two. */
    private final Map<String, List<Set<ExecutionId>>> expected = new LinkedHashMap<>();

    private final Set<ExecutionId> ended = new LinkedHashSet<>();

    private record Known(SimProcess worker, JobId job, long term) {}

    TaskReportsAreComplete() {
      super(
          "A worker reports every task that it has started, and stays registered at the"
              + " JobMaster, until the JobMaster has confirmed the end of the task.");
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed deployed) {
      SimTaskHost.Task task = deployed.task();
      known.put(
          task.spec().execution(),
          new Known(deployed.host().process(), task.job(), task.number() >> NUMBER_BITS));
    }

    @Override
    protected void taskEnded(Fact.TaskEnded end) {
      ended.add(end.task().spec().execution());
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof WorkerLeaves notice
          && notice.reason() instanceof NoSlotLeft) {
        leaves(sent);
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof TaskExecutorEvent.JobMasterDisconnected
          || decided.entry().event() instanceof TaskExecutorEvent.JobRemoved) {
        JobId job = decided.entry().job().orElseThrow();
        known
            .values()
            .removeIf(task -> task.worker() == decided.process() && task.job().equals(job));
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof AdoptTasks adopt
          && answered.answer() instanceof Envelope.Reply) {
        Known now = new Known(answered.by(), adopt.job(), adopt.jobMaster().term());
        adopt.executions().stream()
            .filter(execution -> !ended.contains(execution))
            .forEach(execution -> known.put(execution, now));
      } else if (answered.call().message() instanceof AskTasks question
          && answered.answer() instanceof Envelope.Reply) {
        expected
            .computeIfAbsent(
                answered.to() + "<" + answered.by().name() + " " + answered.call().correlation(),
                x -> new ArrayList<>())
            .add(expectedOf(answered.by(), question));
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (!(heard.answer() instanceof Envelope.Reply reply)) {
        return;
      }
      if (heard.call().message() instanceof TaskUpdates updates) {
        for (TaskUpdate update : updates.updates()) {
          if (update.state().isTerminal()) {
            known.remove(update.execution());
          }
        }
      } else if (heard.call().message() instanceof AskTasks question) {
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
      List<Set<ExecutionId>> missing =
          expected.remove(
              heard.at().name() + "<" + heard.from() + " " + heard.call().correlation());
      if (missing != null) {
        missing.forEach(tasks -> report.executions().forEach(tasks::remove));
        if (missing.stream().noneMatch(Set::isEmpty)) {
          throw broken(
              "The report of "
                  + heard.from()
                  + " on job "
                  + question.job()
                  + " lacks "
                  + missing.get(0));
        }
      }
    }
  }

  /**
   * A JobMaster that drops a worker notifies it, whatever the reason. If the two are partitioned,
   * or one of them has ended or is frozen, the worker notices by itself. A worker that has lost its
   * JobMaster may keep tasks for the next one, which adopts or cancels them when it has heard of
   * all. The JobMaster that has deployed them, or one that adopts nothing, ends them by registering
   * the worker.
   */
  static final class TasksOfLostWorkersEnd extends Invariant {
    private static final long SOON = Duration.ofSeconds(5).toNanos();

    private final Map<String, Long> terms = new LinkedHashMap<>();
    private final Map<String, Long> newest = new LinkedHashMap<>();

    /** The tasks that workers keep for the next leader, and those that it has adopted. */
    private final Map<ExecutionId, Kept> kept = new LinkedHashMap<>();

    /** The last answer to a registration, by worker and job. */
    private final Map<String, WorkerRegistered> registrations = new LinkedHashMap<>();

    /**
     * @param term that of the leader which has deployed the task
     */
    private record Kept(SimProcess worker, JobId job, long term) {}

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
      super(
          "A worker soon ends the tasks of a JobMaster that takes it for lost, unless it has lost"
              + " this JobMaster and keeps them for the next one.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().startsWith(JOB_MASTER)) {
        terms.put(granted.process() + " " + granted.component(), granted.token().term());
        newest.put(granted.component(), granted.token().term());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof JobMasterEvent.WorkerLost) {
        dropped(decided.process(), decided.entry());
      } else if (decided.entry().event() instanceof TaskExecutorEvent.TasksKept) {
        keeps(decided.process(), decided.entry().job().orElseThrow());
      } else if (decided.entry().event() instanceof TaskExecutorEvent.RegisteredAtJobMaster) {
        registered(decided.process(), decided.entry().job().orElseThrow());
      }
    }

    private void keeps(SimProcess process, JobId job) {
      world().workers().stream()
          .filter(worker -> worker.process() == process)
          .flatMap(worker -> running(worker, job))
          .forEach(
              task ->
                  kept.put(
                      task.spec().execution(),
                      new Kept(process, job, task.number() >> NUMBER_BITS)));
    }

    private void registered(SimProcess process, JobId job) {
      WorkerRegistered success = registrations.get(process + " " + job);
      kept.values()
          .removeIf(
              task ->
                  task.worker() == process
                      && task.job().equals(job)
                      && (!success.adoptsTasks() || success.jobMaster().term() == task.term()));
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.call().message() instanceof RegisterAtJobMaster request
          && heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof WorkerReply answer
          && answer.success().isPresent()) {
        registrations.put(heard.at() + " " + request.job(), answer.success().get());
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof AdoptTasks request
          && answered.answer() instanceof Envelope.Reply) {
        Set<ExecutionId> adopted = new LinkedHashSet<>(request.executions());
        kept.entrySet()
            .removeIf(
                task ->
                    task.getValue().worker() == answered.by()
                        && task.getValue().job().equals(request.job())
                        && !adopted.contains(task.getKey()));
      }
    }

    /** The tasks of a job that are not being cancelled. */
    private static Stream<SimTaskHost.Task> running(SimulatedWorld.Worker worker, JobId job) {
      return worker.host().running().stream()
          .filter(task -> task.job().equals(job))
          .filter(task -> !task.isCancelled());
    }

    private void dropped(SimProcess jobMaster, JournalEntry event) {
      String component = JOB_MASTER + event.job().orElseThrow();
      Long term = terms.get(jobMaster + " " + component);
      if (world().scenario().configuration().get(ExecutionOptions.ADOPT_TASKS)
          && !newest.get(component).equals(term)) {
        return; // Its tasks may be kept for the next leader, or are the tasks of that one.
      }
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (worker.name().equals(event.worker().orElseThrow().value())
            && reaches(jobMaster, worker)) {
          List<SimTaskHost.Task> tasks =
              running(worker, event.job().orElseThrow())
                  .filter(task -> term != null && task.number() >> NUMBER_BITS == term)
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
          // A worker may notice a broken connection later than the JobMaster.
          if (reaches(lost.jobMaster(), lost.worker())
              && !kept.containsKey(task.spec().execution())
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
