package io.millrace.sim.check;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.TaskSpec;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Invariants of restarts and of their attempts. */
final class RestartRules {
  /** The bits of a deployment number that count deployments within a term. */
  private static final int NUMBER_BITS = 20;

  private static final String JOB_MASTER = "jobmaster-";

  private RestartRules() {}

  /** How many restarts the strategy of a job allows under one leader. */
  static int allowed(SimulatedWorld world, SimJob job) {
    Configuration settings =
        world.scenario().configuration().overriddenBy(job.graph().configuration());
    return settings
        .find(RestartStrategyOptions.RESTART_STRATEGY)
        .filter(RestartStrategy.FIXED_DELAY::equals)
        .map(strategy -> settings.get(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS))
        .orElse(0);
  }

  /** Counts the restarts of each term of a job, as the journal of its JobMaster has them. */
  private static final class Terms {
    private final Map<String, Integer> restarts = new LinkedHashMap<>();
    private final Map<String, Long> leading = new LinkedHashMap<>();

    void granted(Fact.Granted granted) {
      if (granted.component().startsWith(JOB_MASTER)) {
        leading.put(granted.process() + "/" + granted.component(), granted.token().term());
      }
    }

    void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof RestartScheduled) {
        JobId job = decided.entry().job().orElseThrow();
        Long term = leading(decided.process(), job);
        restarts.merge(job + "@" + term, 1, Integer::sum);
      }
    }

    /** The term in which a process leads a job. */
    Long leading(SimProcess process, JobId job) {
      return leading.get(process + "/" + ComponentNames.jobMaster(job));
    }

    int of(JobId job, long term) {
      return restarts.getOrDefault(job + "@" + term, 0);
    }
  }

  /** The attempts that leaders adopt: restarts under these leaders count from there. */
  private static final class AdoptedAttempts {
    private final Map<ExecutionId, TaskSpec> known = new LinkedHashMap<>();
    private final Map<String, Integer> adopted = new LinkedHashMap<>();

    static String name(JobId job, long term, TaskSpec spec) {
      return job + "@" + term + " " + spec.vertex() + "/" + spec.subtask();
    }

    void deployed(DeployTasks request) {
      request.tasks().forEach(task -> known.put(task.task().execution(), task.task()));
    }

    /** The adopted attempt of each subtask. */
    Map<String, Integer> adopted(AdoptTasks request) {
      Map<String, Integer> attempts = new LinkedHashMap<>();
      for (ExecutionId execution : request.executions()) {
        TaskSpec spec = known.get(execution);
        attempts.put(name(request.job(), request.jobMaster().term(), spec), spec.attempt());
      }
      adopted.putAll(attempts);
      return attempts;
    }

    int of(String subtask) {
      return adopted.getOrDefault(subtask, 0);
    }
  }

  /**
   * An attempt that never got slots is not deployed, so that attempt numbers may have gaps. Each
   * attempt needs a restart.
   */
  static final class AttemptNumbersIncrease extends Invariant {
    private final Terms terms = new Terms();
    private final Map<String, Integer> last = new LinkedHashMap<>();

    /** The newest deployment of each subtask. */
    private final Map<String, Long> newest = new LinkedHashMap<>();

    private final AdoptedAttempts adopted = new AdoptedAttempts();

    AttemptNumbersIncrease() {
      super("Under one leader each restart of a subtask has the next attempt number.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        adopted.deployed(deploy);
      } else if (sent.call().message() instanceof AdoptTasks adopt) {
        adopted.adopted(adopt).forEach(last::put);
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      terms.granted(granted);
    }

    @Override
    protected void decided(Fact.Decided decided) {
      terms.decided(decided);
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed deployed) {
      SimTaskHost.Task task = deployed.task();
      TaskSpec spec = task.spec();
      long term = task.number() >> NUMBER_BITS;
      String subtask = AdoptedAttempts.name(task.job(), term, spec);
      if (task.number() < newest.getOrDefault(subtask, Long.MIN_VALUE)) {
        return; // A worker that was frozen executes an earlier deployment late.
      }
      newest.put(subtask, task.number());
      int before = last.getOrDefault(subtask, -1);
      int restarts = terms.of(task.job(), term) + adopted.of(subtask);
      if (spec.attempt() <= before || spec.attempt() > restarts) {
        throw broken(
            "Attempt "
                + spec.attempt()
                + " of "
                + subtask
                + " follows "
                + before
                + " after "
                + restarts
                + " restarts");
      }
      last.put(subtask, spec.attempt());
    }
  }

  /**
   * The loss of a worker on which a restart still cancels tasks belongs to that restart. These
   * tasks are known from the messages of the JobMaster: it has cancelled them and has not received
   * their ends. What another leader of the job cancels at the same time does not count.
   */
  static final class RestartStrategyIsRespected extends Invariant {
    private final Terms terms = new Terms();

    /** The deployed tasks, and those being cancelled, by the leader's process, job and worker. */
    private final Map<TaskPlace, Set<ExecutionId>> deployed = new LinkedHashMap<>();

    private final Map<TaskPlace, Set<ExecutionId>> cancelled = new LinkedHashMap<>();

    private record TaskPlace(String leader, JobId job, String worker) {
      boolean isOf(String process, JobId id) {
        return leader.equals(process) && job.equals(id);
      }
    }

    /** The restarts that a job had used, if a restart in the current event must not count. */
    private final Map<JobId, Integer> free = new LinkedHashMap<>();

    private final AdoptedAttempts adopted = new AdoptedAttempts();
    private final Map<String, Integer> used = new LinkedHashMap<>();
    private final Map<JobId, Integer> allowed = new LinkedHashMap<>();

    RestartStrategyIsRespected() {
      super(
          "Under one leader a job restarts no more often than its strategy allows, and the loss of"
              + " a worker on which a restart cancels tasks counts as part of that restart.");
    }

    @Override
    protected void afterEvent() {
      free.clear();
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        adopted.deployed(deploy);
        deploy
            .tasks()
            .forEach(
                task ->
                    of(deployed, sent.from(), deploy.job(), sent.to())
                        .add(task.task().execution()));
      } else if (sent.call().message() instanceof AdoptTasks adopt) {
        adopted.adopted(adopt);
        of(deployed, sent.from(), adopt.job(), sent.to()).addAll(adopt.executions());
      } else if (sent.call().message() instanceof CancelTasks cancel) {
        Set<ExecutionId> there = of(deployed, sent.from(), cancel.job(), sent.to());
        cancel.executions().stream()
            .filter(there::contains)
            .forEach(task -> of(cancelled, sent.from(), cancel.job(), sent.to()).add(task));
      }
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof TaskUpdates updates) {
        JobId job = JobId.parse(called.call().endpoint().substring(JOB_MASTER.length()));
        updates.updates().stream()
            .filter(update -> update.state().isTerminal())
            .forEach(
                update ->
                    ended(called.to().name(), job, called.from(), Set.of(update.execution())));
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.call().message() instanceof DeployTasks deploy
          && !(heard.answer() instanceof Envelope.Reply)) {
        deploy
            .tasks()
            .forEach(
                task ->
                    ended(
                        heard.at().name(),
                        deploy.job(),
                        heard.from(),
                        Set.of(task.task().execution())));
      } else if (heard.call().message() instanceof AskTasks ask
          && heard.answer() instanceof Envelope.Reply reply) {
        String leader = heard.at().name();
        Set<ExecutionId> missing =
            new LinkedHashSet<>(of(deployed, leader, ask.job(), heard.from()));
        missing.removeAll(((TaskReport) reply.message()).executions());
        if (!missing.isEmpty()) {
          ended(leader, ask.job(), heard.from(), missing);
        }
      }
    }

    private static Set<ExecutionId> of(
        Map<TaskPlace, Set<ExecutionId>> tasks, String leader, JobId job, String worker) {
      return tasks.computeIfAbsent(new TaskPlace(leader, job, worker), x -> new LinkedHashSet<>());
    }

    private void ended(String leader, JobId job, String worker, Set<ExecutionId> tasks) {
      of(deployed, leader, job, worker).removeAll(tasks);
      of(cancelled, leader, job, worker).removeAll(tasks);
    }

    private void decided(Fact.Decided decided, JobMasterEvent event) {
      JobId job = decided.entry().job().orElseThrow();
      String leader = decided.process().name();
      String term = job + "@" + terms.leading(decided.process(), job);
      if (event instanceof JobMasterEvent.WorkerLost) {
        String worker = decided.entry().worker().orElseThrow().value();
        if (!of(cancelled, leader, job, worker).isEmpty() && used.containsKey(term)) {
          free.put(job, used.get(term));
        }
        of(deployed, leader, job, worker).clear();
        of(cancelled, leader, job, worker).clear();
      } else if (event instanceof JobMasterEvent.JobMasterStarted) {
        deployed.keySet().removeIf(place -> place.isOf(leader, job));
        cancelled.keySet().removeIf(place -> place.isOf(leader, job));
      } else if (event instanceof RestartScheduled restart) {
        Integer before = free.remove(job);
        if (before != null && restart.attempt() > before) {
          throw broken(
              "Job "
                  + job
                  + " schedules restart "
                  + restart.attempt()
                  + " for the loss of a worker"
                  + " on which restart "
                  + before
                  + " still cancels tasks");
        }
        used.put(term, restart.attempt());
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      terms.granted(granted);
    }

    @Override
    protected void decided(Fact.Decided decided) {
      terms.decided(decided);
      if (decided.entry().event() instanceof JobMasterEvent event) {
        decided(decided, event);
      }
      if (decided.entry().event() instanceof RestartScheduled restart) {
        check(decided.entry().job().orElseThrow(), restart.attempt(), "schedules restart");
      }
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed started) {
      SimTaskHost.Task task = started.task();
      String subtask = AdoptedAttempts.name(task.job(), task.number() >> NUMBER_BITS, task.spec());
      check(task.job(), task.spec().attempt() - adopted.of(subtask), "runs attempt");
    }

    private void check(JobId id, int count, String what) {
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(id)) {
          int most = allowed.computeIfAbsent(id, x -> allowed(world(), job));
          if (count > most) {
            throw broken("Job " + id + " " + what + " " + count + " and may use " + most);
          }
        }
      }
    }
  }
}
