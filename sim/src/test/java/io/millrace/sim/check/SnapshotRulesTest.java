package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.execution;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Envelope;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SnapshotRulesTest {
  private static final Duration LONG = Duration.ofSeconds(2);
  private static final JobGraph GRAPH =
      graph(1, 1)
          .withConfiguration(
              Configuration.EMPTY.with(CheckpointingOptions.INTERVAL, Duration.ofMinutes(1)));
  private static final DeclineCheckpoint DECLINE =
      new DeclineCheckpoint(
          new WorkerId(WORKER), 3, execution(1), new DeclineCause.TaskIsEnding("It has ended."));

  private static RuleTrace deployed() {
    RuleTrace trace = new RuleTrace(new SnapshotRules.EndedTasksDeclineCheckpoints()).plan(GRAPH);
    trace.deploys(trace.worker(WORKER, 1), GRAPH, deployment(1, 1), task(0, 0, 1));
    return trace;
  }

  private static Envelope.Call triggers(RuleTrace trace) {
    Envelope.Call call =
        trace.sends(
            JOB_MANAGER,
            WORKER,
            new TriggerCheckpoint(
                JOB,
                token(1),
                new CheckpointRequest(
                    3,
                    1,
                    CheckpointRequest.Type.CHECKPOINT,
                    CheckpointRequest.Barriers.ALIGNED,
                    "/cp",
                    "/cp/shared",
                    1),
                List.of(execution(1)),
                List.of(execution(1))));
    trace.arrives(JOB_MANAGER, WORKER, call);
    return call;
  }

  private static void ends(RuleTrace trace) {
    trace.endsTask(trace.workers().get(0), task(0, 0, 1), TaskState.FINISHED);
  }

  /** The task ends before its snapshot is stored. */
  private static RuleTrace ended() {
    RuleTrace trace = deployed();
    trace.answers(WORKER, JOB_MANAGER, triggers(trace), new Acknowledge());
    ends(trace);
    trace.passes(Duration.ZERO);
    return trace;
  }

  @Test
  void checkpointOfATaskThatEndsIsDeclined() {
    RuleTrace trace = ended();
    trace
        .isBrokenBy(() -> trace.passes(LONG))
        .hasMessageContaining("has not declined checkpoint 3 of job " + JOB);
  }

  @Test
  void checkpointOfATaskThatHasEndedIsDeclined() {
    RuleTrace trace = deployed();
    ends(trace);
    trace.answers(WORKER, JOB_MANAGER, triggers(trace), new Acknowledge());
    trace.isBrokenBy(() -> trace.passes(LONG));
  }

  /** It is declined or given up, or the JobMaster is lost. */
  @Test
  void otherEndsOfTheWait() {
    List<Consumer<RuleTrace>> ends =
        List.of(
            trace ->
                trace.sends(
                    WORKER,
                    JOB_MANAGER,
                    ComponentNames.jobMaster(JOB),
                    Optional.of(token(1)),
                    DECLINE),
            trace -> arrives(trace, new CheckpointAborted(JOB, token(1), 3)),
            trace ->
                arrives(
                    trace,
                    new JobMasterDrops(JOB, token(1), false, new ConnectionLost("it broke"))),
            trace ->
                trace.decides(WORKER, JOB, new JobMasterDisconnected(new ConnectionLost("reset"))),
            trace -> trace.losesConnection(WORKER, JOB_MANAGER),
            trace -> trace.process(WORKER).kill());
    for (Consumer<RuleTrace> end : ends) {
      RuleTrace trace = ended();
      end.accept(trace);
      trace.passes(LONG);
    }
  }

  private static void arrives(RuleTrace trace, Record message) {
    trace.arrives(JOB_MANAGER, WORKER, trace.sends(JOB_MANAGER, WORKER, message));
  }

  @Test
  void refusedRequestIsNotDeclined() {
    RuleTrace trace = deployed();
    Envelope.Call request = triggers(trace);
    trace.refuses(WORKER, JOB_MANAGER, request);
    ends(trace);
    trace.passes(LONG);
  }
}
