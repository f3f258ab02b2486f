package io.millrace.sim.check;

import io.millrace.core.id.ExecutionId;
import io.millrace.sim.SimTaskHost;
import java.util.LinkedHashMap;
import java.util.Map;

/** What holds of attempts to run a subtask. */
final class AttemptRules {
  private AttemptRules() {}

  static final class DeployedOnce extends Invariant {
    private final Map<ExecutionId, String> deployed = new LinkedHashMap<>();

    DeployedOnce() {
      super("An execution attempt is deployed at most once, and so runs on at most one worker.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed now) {
        String where = now.host().process().toString();
        String before = deployed.put(now.task().spec().execution(), where);
        if (before != null) {
          throw broken(
              "Attempt "
                  + now.task().spec()
                  + " of job "
                  + now.task().job()
                  + " was deployed on "
                  + before
                  + " and on "
                  + where);
        }
      }
    }
  }

  /**
   * Where connections break or processes freeze, a JobMaster may have to give up a worker that goes
   * on for a while; elsewhere it hears of the end of one attempt before it begins the next.
   */
  static final class NoTwoAttempts extends Invariant {
    NoTwoAttempts() {
      super(
          "While every process is reachable, a subtask is started anew only when its last attempt"
              + " has ended.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed now && world().isReachable()) {
        for (World.Worker worker : world().workers()) {
          for (SimTaskHost.Task other : worker.host().running()) {
            if (other != now.task()
                && other.job().equals(now.task().job())
                && other.spec().vertex().equals(now.task().spec().vertex())
                && other.spec().subtask() == now.task().spec().subtask()) {
              throw broken(
                  "Job "
                      + other.job()
                      + " has "
                      + now.task().spec()
                      + " on "
                      + now.host().process()
                      + " while "
                      + other.spec()
                      + " runs on "
                      + worker.name());
            }
          }
        }
      }
    }
  }
}
