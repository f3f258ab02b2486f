package io.millrace.sim.check;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.TaskSpec;
import java.util.LinkedHashMap;
import java.util.Map;

/** What holds of restarts and of the attempts that they lead to. */
final class RestartRules {
  /** Deployments of one term are numbered within these bits. */
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

    void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted && granted.component().startsWith(JOB_MASTER)) {
        leading.put(granted.process() + "/" + granted.component(), granted.token().term());
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof RestartScheduled) {
        JobId job = decided.entry().job().orElseThrow();
        Long term = leading.get(decided.process() + "/" + ComponentNames.jobMaster(job));
        restarts.merge(job + "@" + term, 1, Integer::sum);
      }
    }

    int of(JobId job, long term) {
      return restarts.getOrDefault(job + "@" + term, 0);
    }
  }

  /**
   * An attempt that never got slots is not deployed, so that more than one may lie between two that
   * are; but each takes a restart.
   */
  static final class AttemptsGrow extends Invariant {
    private final Terms terms = new Terms();
    private final Map<String, Integer> last = new LinkedHashMap<>();

    AttemptsGrow() {
      super("Under one leader each restart of a subtask makes its next attempt, one higher.");
    }

    @Override
    protected void seen(Fact fact) {
      terms.seen(fact);
      if (fact instanceof Fact.TaskDeployed deployed) {
        SimTaskHost.Task task = deployed.task();
        TaskSpec spec = task.spec();
        long term = task.number() >> NUMBER_BITS;
        String subtask = task.job() + "@" + term + " " + spec.vertex() + "/" + spec.subtask();
        int before = last.getOrDefault(subtask, -1);
        int restarts = terms.of(task.job(), term);
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
  }

  static final class RestartsAreAllowed extends Invariant {
    RestartsAreAllowed() {
      super("Under one leader a job restarts no more often than its strategy allows.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed deployed) {
        SimTaskHost.Task task = deployed.task();
        check(task.job(), task.spec().attempt(), "runs attempt");
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof RestartScheduled restart) {
        check(decided.entry().job().orElseThrow(), restart.attempt(), "makes restart");
      }
    }

    private void check(JobId id, int count, String what) {
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(id) && count > allowed(world(), job)) {
          throw broken(
              "Job " + id + " " + what + " " + count + " and may make " + allowed(world(), job));
        }
      }
    }
  }
}
