package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_WORKER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployTasks;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.rpc.Envelope;
import io.millrace.task.TaskSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Traces that the rules of adopted tasks allow or do not allow. */
class AdoptionRulesTest {
  private static final TaskSpec FIRST = task(0, 0, 1);
  private static final TaskSpec SECOND = task(0, 1, 2);

  private static RuleTrace trace() {
    RuleTrace trace = new RuleTrace(new AdoptionRules.LastAttemptIsAdopted());
    deploys(trace, WORKER, FIRST);
    return trace;
  }

  private static void deploys(RuleTrace trace, String worker, TaskSpec task) {
    trace.sends(JOB_MANAGER, worker, deployTasks(JOB, token(1), 1, task));
  }

  private static Envelope.Call adopts(RuleTrace trace, TaskSpec task) {
    return trace.sends(
        JOB_MANAGER,
        WORKER,
        new AdoptTasks(JOB, token(2), List.of(task.execution()), new CheckpointOutcomes(0, 0)));
  }

  @Test
  void adoptsNoEarlierAttempt() {
    RuleTrace trace = trace();
    trace.arrives(JOB_MANAGER, WORKER, adopts(trace, FIRST));
    deploys(trace, OTHER_WORKER, SECOND);
    trace
        .isBrokenBy(() -> trace.arrives(JOB_MANAGER, WORKER, adopts(trace, FIRST)))
        .hasMessageContaining("whose last attempt was " + SECOND.execution());
  }

  @Test
  void requestMayArriveLate() {
    RuleTrace trace = trace();
    Envelope.Call late = adopts(trace, FIRST);
    deploys(trace, OTHER_WORKER, SECOND);
    trace.arrives(JOB_MANAGER, WORKER, late);
    trace.arrives(JOB_MANAGER, WORKER, late);
  }

  @Test
  void adoptsNoTaskThatWasNotDeployed() {
    RuleTrace trace = trace();
    trace.isBrokenBy(() -> trace.arrives(JOB_MANAGER, WORKER, adopts(trace, SECOND)));
  }
}
