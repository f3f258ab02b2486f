package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_WORKER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployTasks;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.execution;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.rpc.Envelope;
import io.millrace.sim.scenario.Fault;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class RestartRulesTest {
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);
  private static final JobGraph GRAPH = graph(1, 1).withConfiguration(attempts(2));

  private static Configuration attempts(int count) {
    return Configuration.EMPTY
        .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
        .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, count);
  }

  private static void restarts(RuleTrace trace, int attempt) {
    trace.decides(JOB_MANAGER, JOB, new RestartScheduled(attempt, 1, Duration.ZERO));
  }

  @Test
  void attemptNumbersFollowRestarts() {
    RuleTrace trace = new RuleTrace(new RestartRules.AttemptNumbersIncrease()).plan(GRAPH);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    trace.deploys(worker, GRAPH, deployment(1, 1), task(0, 0, 1));
    restarts(trace, 1);
    restarts(trace, 2);
    trace.deploys(worker, GRAPH, deployment(1, 2), task(0, 2, 2));
    trace
        .isBrokenBy(() -> trace.deploys(worker, GRAPH, deployment(1, 3), task(0, 3, 3)))
        .hasMessageContaining("Attempt 3")
        .hasMessageContaining("after 2 restarts");
  }

  @Test
  void attemptNumberIsNotUsedTwice() {
    RuleTrace trace = new RuleTrace(new RestartRules.AttemptNumbersIncrease()).plan(GRAPH);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    restarts(trace, 1);
    trace.deploys(worker, GRAPH, deployment(1, 2), task(0, 1, 1));
    // A worker that was frozen executes an earlier deployment late.
    trace.deploys(worker, GRAPH, deployment(1, 1), task(0, 0, 2));
    trace.isBrokenBy(() -> trace.deploys(worker, GRAPH, deployment(1, 3), task(0, 1, 3)));
  }

  @Test
  void nextLeaderCountsFromZero() {
    RuleTrace trace = new RuleTrace(new RestartRules.AttemptNumbersIncrease()).plan(GRAPH);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    restarts(trace, 1);
    trace.deploys(worker, GRAPH, deployment(1, 1), task(0, 1, 1));
    trace.grants(JOB_MANAGER, JOB_MASTER, 2);
    trace.deploys(worker, GRAPH, deployment(2, 1), task(0, 0, 2));
    trace.isBrokenBy(() -> trace.deploys(worker, GRAPH, deployment(2, 2), task(0, 1, 3)));
  }

  @Test
  void jobRestartsAsOftenAsItsStrategyAllows() {
    RuleTrace trace = new RuleTrace(new RestartRules.RestartStrategyIsRespected()).plan(GRAPH);
    restarts(trace, 1);
    restarts(trace, 2);
    trace.isBrokenBy(() -> restarts(trace, 3)).hasMessageContaining("restart 3 and may use 2");
  }

  @Test
  void jobWithoutStrategyDoesNotRestart() {
    RuleTrace trace =
        new RuleTrace(new RestartRules.RestartStrategyIsRespected()).plan(graph(1, 1));
    trace.isBrokenBy(() -> restarts(trace, 1)).hasMessageContaining("may use 0");
    RuleTrace configured =
        new RuleTrace(new RestartRules.RestartStrategyIsRespected())
            .plan(graph(1, 1))
            .with(attempts(1));
    restarts(configured, 1);
    configured.isBrokenBy(() -> restarts(configured, 2));
  }

  @Test
  void attemptOfATaskIsWithinTheStrategy() {
    RuleTrace trace = new RuleTrace(new RestartRules.RestartStrategyIsRespected()).plan(GRAPH);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace.deploys(worker, GRAPH, deployment(1, 1), task(0, 2, 1));
    trace
        .isBrokenBy(() -> trace.deploys(worker, GRAPH, deployment(1, 2), task(0, 3, 2)))
        .hasMessageContaining("runs attempt 3");
  }

  /** A restart cancels a task on a worker, and then something happens before the worker is lost. */
  private static RuleTrace cancelsAtLostWorker(BiConsumer<RuleTrace, Envelope.Call> before) {
    RuleTrace trace = new RuleTrace(new RestartRules.RestartStrategyIsRespected()).plan(GRAPH);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    Envelope.Call deployment =
        trace.sends(
            JOB_MANAGER, WORKER, deployTasks(JOB, token(1), deployment(1, 1), task(0, 0, 1)));
    restarts(trace, 1);
    trace.sends(JOB_MANAGER, WORKER, new CancelTasks(JOB, token(1), List.of(execution(1))));
    trace.passes(Duration.ofMillis(1));
    before.accept(trace, deployment);
    trace.decidesOn(JOB_MANAGER, JOB, WORKER, new WorkerLost(new ConnectionLost("reset")));
    return trace;
  }

  @Test
  void lossOfAWorkerOnWhichARestartCancelsTasksIsPartOfThatRestart() {
    RuleTrace trace = cancelsAtLostWorker((then, deployment) -> {});
    trace
        .isBrokenBy(() -> restarts(trace, 2))
        .hasMessageContaining("on which restart 1 still cancels tasks");
    restarts(cancelsAtLostWorker((then, deployment) -> {}), 1);
  }

  @Test
  void lossAfterTheTasksHaveEndedIsAnotherRestart() {
    restarts(
        cancelsAtLostWorker(
            (then, deployment) ->
                then.arrives(
                    WORKER,
                    JOB_MANAGER,
                    then.sends(
                        WORKER,
                        JOB_MANAGER,
                        JOB_MASTER,
                        Optional.of(token(1)),
                        new TaskUpdates(
                            new WorkerId(WORKER),
                            List.of(TaskUpdate.of(execution(1), TaskState.CANCELED)))))),
        2);
    restarts(
        cancelsAtLostWorker((then, deployment) -> then.hearsError(JOB_MANAGER, WORKER, deployment)),
        2);
    restarts(
        cancelsAtLostWorker(
            (then, deployment) ->
                then.hears(
                    JOB_MANAGER,
                    WORKER,
                    then.sends(JOB_MANAGER, WORKER, new AskTasks(JOB, token(1))),
                    new TaskReport(List.of(), List.of(), List.of()))),
        2);
    restarts(
        cancelsAtLostWorker(
            (then, deployment) -> then.decides(JOB_MANAGER, JOB, new JobMasterStarted(1))),
        2);
  }

  @Test
  void reportedTaskIsStillCancelled() {
    RuleTrace trace =
        cancelsAtLostWorker(
            (then, deployment) ->
                then.hears(
                    JOB_MANAGER,
                    WORKER,
                    then.sends(JOB_MANAGER, WORKER, new AskTasks(JOB, token(1))),
                    new TaskReport(List.of(), List.of(execution(1)), List.of())));
    trace.isBrokenBy(() -> restarts(trace, 2));
  }

  @Test
  void lossOfAnotherWorkerIsAnotherRestart() {
    RuleTrace trace = new RuleTrace(new RestartRules.RestartStrategyIsRespected()).plan(GRAPH);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    restarts(trace, 1);
    trace.sends(JOB_MANAGER, WORKER, new CancelTasks(JOB, token(1), List.of(execution(1))));
    trace.decidesOn(JOB_MANAGER, JOB, OTHER_WORKER, new WorkerLost(new ConnectionLost("reset")));
    restarts(trace, 2);
  }

  private static final Duration SECOND = Duration.ofSeconds(1);

  private static RuleTrace causes(Fault... faults) {
    RuleTrace trace = new RuleTrace(new CauseRules.RestartHasCause()).plan(GRAPH);
    List.of(faults).forEach(trace::with);
    return trace;
  }

  @Test
  void restartBeforeTheFirstFaultHasACause() {
    RuleTrace trace = causes(new Fault.Crash(SECOND, WORKER, SECOND));
    trace.isBrokenBy(() -> restarts(trace, 1)).hasMessageContaining("restarts:");
    trace.passes(SECOND);
    restarts(trace, 1);
  }

  @Test
  void faultsThatTheEngineToleratesAreNoCause() {
    for (Fault harmless :
        List.of(
            new Fault.ClockJump(Duration.ZERO, WORKER, SECOND),
            new Fault.DuplicateCalls(Duration.ZERO, 0.5, SECOND),
            new Fault.CallFault(
                Duration.ZERO,
                Fault.CallFault.Call.OFFER,
                Fault.CallFault.Effect.DUPLICATED,
                SECOND),
            new Fault.TokenServiceFailure(
                Duration.ZERO, io.millrace.sim.SimTokens.FailureMode.FAILING, SECOND))) {
      RuleTrace trace = causes(harmless);
      trace
          .isBrokenBy(() -> restarts(trace, 1))
          .as(harmless.toString())
          .isInstanceOf(Invariant.Broken.class);
    }
    restarts(
        causes(
            new Fault.CallFault(
                Duration.ZERO,
                Fault.CallFault.Call.OFFER,
                Fault.CallFault.Effect.CALL_LOST,
                SECOND)),
        1);
  }

  @Test
  void failedTaskOrDeadProcessIsACause() {
    RuleTrace task = causes();
    SimulatedWorld.Worker worker = task.worker(WORKER, 1);
    task.deploys(worker, GRAPH, deployment(1, 1), task(0, 0, 1));
    task.endsTask(worker, task(0, 0, 1), TaskState.CANCELED);
    task.isBrokenBy(() -> restarts(task, 1));
    task.endsTask(worker, task(0, 0, 1), TaskState.FAILED);
    restarts(task, 1);

    RuleTrace process = causes();
    process.dies(WORKER, new IllegalStateException("end"));
    restarts(process, 1);
  }

  /** Without a limit of tolerated failures a failed checkpoint ends no task. */
  @Test
  void failedCheckpointIsACauseOnlyIfFailuresAreLimited() {
    RuleTrace unlimited = causes();
    CheckpointFailed failure =
        new CheckpointFailed(1, new CheckpointExpired(SECOND, List.of("map (1/1)"), 1));
    unlimited.decides(JOB_MANAGER, JOB, failure);
    unlimited.isBrokenBy(() -> restarts(unlimited, 1));
  }
}
