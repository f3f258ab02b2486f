package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.instance;
import static io.millrace.sim.check.Samples.token;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.JobMasterGateway.JobMasterReport;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterLost;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerRegistered;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredAtJobMaster;
import io.millrace.protocol.journal.TaskExecutorEvent.ResourceManagerDisconnected;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.HeartbeatRequestTimeout;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeartbeatRulesTest {
  private static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(50);
  private static final Address AT_WORKER = new Address(WORKER, "taskmanager");
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);

  private static RuleTrace trace(Invariant rule) {
    return new RuleTrace(rule)
        .with(
            Configuration.EMPTY
                .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, INTERVAL)
                .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, TIMEOUT));
  }

  // Leaders.

  private static RuleTrace registered() {
    RuleTrace trace = trace(new HeartbeatRules.HeartbeatTimeoutHasCause());
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerRegistered(AT_WORKER));
    return trace;
  }

  private static Envelope.Call asks(RuleTrace trace) {
    return trace.sends(JOB_MANAGER, WORKER, new AskWorker(token(1), instance(1)));
  }

  private static void drops(RuleTrace trace) {
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerLost(new HeartbeatTimeout(TIMEOUT)));
  }

  @Test
  void leaderDropsAWorkerThatHasNotAnsweredForTheTimeout() {
    RuleTrace trace = registered();
    asks(trace);
    trace.passes(TIMEOUT.minusMillis(1));
    trace.isBrokenBy(() -> drops(trace)).hasMessageContaining("49999 ms before");
    trace.passes(Duration.ofMillis(1));
    drops(trace);
  }

  @Test
  void answerProlongsTheTime() {
    RuleTrace trace = registered();
    Envelope.Call first = asks(trace);
    trace.passes(INTERVAL);
    trace.hears(JOB_MANAGER, WORKER, first, new Acknowledge());
    asks(trace);
    trace.passes(TIMEOUT.minusMillis(1));
    trace.isBrokenBy(() -> drops(trace));
    trace.passes(Duration.ofMillis(1));
    drops(trace);
  }

  /** A leader that was frozen and sent no request must not drop a worker. */
  @Test
  void leaderDropsNoWorkerThatItHasNotAsked() {
    RuleTrace trace = registered();
    trace.passes(TIMEOUT);
    trace.isBrokenBy(() -> drops(trace)).hasMessageContaining("has sent it no request 40000 ms");
    asks(trace);
    trace.passes(TIMEOUT.minus(INTERVAL).minusMillis(1));
    trace.isBrokenBy(() -> drops(trace));
    trace.passes(Duration.ofMillis(1));
    drops(trace);
  }

  @Test
  void answerAfterTheTimeoutOfItsRequestDoesNotCount() {
    RuleTrace trace = registered();
    Envelope.Call first = asks(trace);
    trace.passes(TIMEOUT);
    trace.hears(JOB_MANAGER, WORKER, first, new Acknowledge());
    trace.passes(Duration.ofMillis(1));
    drops(trace);
  }

  @Test
  void failedRequestIsNoAnswer() {
    RuleTrace trace = registered();
    Envelope.Call first = asks(trace);
    trace.hearsError(JOB_MANAGER, WORKER, first);
    trace.hears(JOB_MANAGER, WORKER, first, new Acknowledge());
    trace.passes(TIMEOUT);
    drops(trace);
  }

  @Test
  void requestsBeforeARegistrationDoNotCount() {
    RuleTrace trace = registered();
    asks(trace);
    trace.passes(TIMEOUT);
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerRegistered(AT_WORKER));
    trace.isBrokenBy(() -> drops(trace));
    trace.passes(TIMEOUT);
    trace.isBrokenBy(() -> drops(trace)).hasMessageContaining("no request");
  }

  @Test
  void otherReasonsNeedNoTimeout() {
    RuleTrace trace = registered();
    trace.decidesOn(JOB_MANAGER, WORKER, new TaskManagerLost(new ConnectionLost("reset")));
  }

  @Test
  void followersInTheProcessOfTheLeaderAreNotObserved() {
    RuleTrace trace = trace(new HeartbeatRules.HeartbeatTimeoutHasCause());
    trace.decides(JOB_MANAGER, JOB, new JobMasterRegistered(new Address(JOB_MANAGER, JOB_MASTER)));
    trace.decides(JOB_MANAGER, JOB, new JobMasterLost(new HeartbeatTimeout(TIMEOUT)));
  }

  @Test
  void resourceManagerDropsAJobMasterThatDoesNotAnswer() {
    RuleTrace trace = trace(new HeartbeatRules.HeartbeatTimeoutHasCause());
    trace.decides(
        JOB_MANAGER, JOB, new JobMasterRegistered(new Address(OTHER_JOB_MANAGER, JOB_MASTER)));
    Envelope.Call asked =
        trace.sends(
            JOB_MANAGER,
            OTHER_JOB_MANAGER,
            JOB_MASTER,
            Optional.of(token(1)),
            new AskJobMaster(token(1)));
    trace.passes(TIMEOUT.minusMillis(1));
    trace.hears(JOB_MANAGER, OTHER_JOB_MANAGER, asked, new JobMasterReport(0, 0, 0));
    trace.passes(INTERVAL);
    trace.isBrokenBy(
        () -> trace.decides(JOB_MANAGER, JOB, new JobMasterLost(new HeartbeatTimeout(TIMEOUT))));
  }

  @Test
  void jobMasterDropsAWorkerThatDoesNotAnswer() {
    RuleTrace trace = trace(new HeartbeatRules.HeartbeatTimeoutHasCause());
    Record lost = new JobMasterEvent.WorkerLost(new HeartbeatTimeout(TIMEOUT));
    trace.decidesOn(JOB_MANAGER, JOB, WORKER, new JobMasterEvent.WorkerRegistered(1));
    trace.sends(JOB_MANAGER, WORKER, new AskTasks(JOB, token(1)));
    trace.passes(INTERVAL);
    trace.isBrokenBy(() -> trace.decidesOn(JOB_MANAGER, JOB, WORKER, lost));
    trace.passes(TIMEOUT);
    trace.decidesOn(JOB_MANAGER, JOB, WORKER, lost);
  }

  // Followers.

  private static RuleTrace follower() {
    return trace(new HeartbeatRules.LeaderHeartbeatTimeoutHasCause());
  }

  private static void registersAtResourceManager(RuleTrace trace) {
    trace.hears(
        WORKER,
        JOB_MANAGER,
        asks(trace),
        new TaskManagerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(
                new ResourceManagerGateway.TaskManagerRegistered(
                    instance(1), token(1), AT_WORKER, List.of()))));
  }

  private static void losesResourceManager(RuleTrace trace) {
    trace.decides(WORKER, new ResourceManagerDisconnected(new HeartbeatRequestTimeout(TIMEOUT)));
  }

  @Test
  void workerDropsAResourceManagerThatHasNotAskedForTheTimeout() {
    RuleTrace trace = follower().unreachable();
    registersAtResourceManager(trace);
    trace.passes(INTERVAL);
    trace.arrives(JOB_MANAGER, WORKER, asks(trace));
    trace.passes(TIMEOUT.minusMillis(1));
    trace
        .isBrokenBy(() -> losesResourceManager(trace))
        .hasMessageContaining("got a request 49999 ms before");
    trace.passes(Duration.ofMillis(1));
    losesResourceManager(trace);
  }

  @Test
  void reachableLeaderIsNeverDropped() {
    RuleTrace trace = follower();
    registersAtResourceManager(trace);
    trace.passes(TIMEOUT);
    trace
        .isBrokenBy(() -> losesResourceManager(trace))
        .hasMessageContaining("while all processes were reachable");
    trace.decides(WORKER, new ResourceManagerDisconnected(new ConnectionLost("reset")));
  }

  /** Requests that arrive at the same instant may still be in the mailbox. */
  @Test
  void requestOfThisInstantDoesNotCount() {
    RuleTrace trace = follower().unreachable();
    registersAtResourceManager(trace);
    trace.passes(TIMEOUT);
    trace.arrives(JOB_MANAGER, WORKER, asks(trace));
    losesResourceManager(trace);
  }

  private static void registersAtJobMaster(RuleTrace trace, LeaderToken jobMaster) {
    trace.hears(
        WORKER,
        JOB_MANAGER,
        trace.sends(
            WORKER,
            JOB_MANAGER,
            new RegisterAtJobMaster(JOB, new WorkerId(WORKER), 1, AT_WORKER, WORKER)),
        new WorkerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(new WorkerRegistered(jobMaster))));
    trace.decides(WORKER, JOB, new RegisteredAtJobMaster(AT_WORKER));
  }

  private static void losesJobMaster(RuleTrace trace) {
    trace.decides(WORKER, JOB, new JobMasterDisconnected(new HeartbeatRequestTimeout(TIMEOUT)));
  }

  @Test
  void onlyRequestsOfTheFollowedJobMasterCount() {
    RuleTrace trace = follower().unreachable();
    registersAtJobMaster(trace, token(2));
    trace.passes(TIMEOUT.minusMillis(1));
    trace.isBrokenBy(() -> losesJobMaster(trace));
    trace.arrives(
        JOB_MANAGER, WORKER, trace.sends(JOB_MANAGER, WORKER, new AskTasks(JOB, token(1))));
    trace.passes(Duration.ofMillis(1));
    losesJobMaster(trace);
    trace.arrives(
        JOB_MANAGER, WORKER, trace.sends(JOB_MANAGER, WORKER, new AskTasks(JOB, token(2))));
    trace.passes(INTERVAL);
    trace.isBrokenBy(() -> losesJobMaster(trace));
  }

  @Test
  void jobMasterDropsAResourceManagerOfAnotherProcess() {
    RuleTrace trace = follower().unreachable();
    Record lost = new JobMasterEvent.ResourceManagerLost(new HeartbeatRequestTimeout(TIMEOUT));
    trace.decides(
        JOB_MANAGER,
        JOB,
        new RegisteredAtResourceManager(new Address(OTHER_JOB_MANAGER, "resourcemanager")));
    trace.passes(INTERVAL);
    trace.isBrokenBy(() -> trace.decides(JOB_MANAGER, JOB, lost));
    trace.arrives(
        OTHER_JOB_MANAGER,
        JOB_MANAGER,
        trace.sends(
            OTHER_JOB_MANAGER,
            JOB_MANAGER,
            JOB_MASTER,
            Optional.of(token(1)),
            new AskJobMaster(token(1))));
    trace.passes(TIMEOUT.minusMillis(1));
    trace.isBrokenBy(() -> trace.decides(JOB_MANAGER, JOB, lost));
    trace.passes(Duration.ofMillis(1));
    trace.decides(JOB_MANAGER, JOB, lost);
    // Messages within a process are not observed.
    trace.decides(
        JOB_MANAGER,
        JOB,
        new RegisteredAtResourceManager(new Address(JOB_MANAGER, "resourcemanager")));
    trace.passes(INTERVAL);
    trace.decides(JOB_MANAGER, JOB, lost);
  }
}
