package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployTasks;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.execution;
import static io.millrace.sim.check.Samples.instance;
import static io.millrace.sim.check.Samples.requestSlot;
import static io.millrace.sim.check.Samples.slot;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterRegistered;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobEnded;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.TaskExecutorEvent.JobRemoved;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.PeerReason.LeaderChanged;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderDirectoryGateway.AwaitLeader;
import io.millrace.rpc.leader.LeaderDirectoryGateway.LeaderAnswer;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaderRulesTest {
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);
  private static final Address ADDRESS = new Address(JOB_MANAGER, JOB_MASTER);

  @Test
  void termsOfOneComponentGrow() {
    RuleTrace trace = new RuleTrace(new LeaderRules.LeaderTermsIncrease());
    trace.grants(JOB_MANAGER, JOB_MASTER, 2);
    trace.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 1);
    trace.grants(OTHER_JOB_MANAGER, JOB_MASTER, 3);
    trace
        .isBrokenBy(() -> trace.grants(JOB_MANAGER, JOB_MASTER, 3))
        .hasMessageContaining(JOB_MASTER);
    RuleTrace earlier = new RuleTrace(new LeaderRules.LeaderTermsIncrease());
    earlier.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 2);
    earlier.isBrokenBy(() -> earlier.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 1));
  }

  @Test
  void oneProcessActsUnderATerm() {
    RuleTrace trace = new RuleTrace(new LeaderRules.OneJobMasterPerTerm());
    trace.arrives(JOB_MANAGER, WORKER, trace.sends(JOB_MANAGER, WORKER, deployTasksOf(1)));
    trace.arrives(
        JOB_MANAGER,
        WORKER,
        trace.sends(JOB_MANAGER, WORKER, new CancelTasks(JOB, token(1), List.of())));
    trace.arrives(
        OTHER_JOB_MANAGER, WORKER, trace.sends(OTHER_JOB_MANAGER, WORKER, deployTasksOf(2)));
    Envelope.Call free =
        trace.sends(
            OTHER_JOB_MANAGER, WORKER, new FreeSlot(JOB, token(1), slot(1), new SlotUnused()));
    trace
        .isBrokenBy(() -> trace.arrives(OTHER_JOB_MANAGER, WORKER, free))
        .hasMessageContaining("is run by");
  }

  @Test
  void workerExecutesNothingOfAnEarlierResourceManager() {
    RuleTrace trace = new RuleTrace(new LeaderRules.StaleLeadersAreFenced());
    Envelope.Call earlier = trace.sends(JOB_MANAGER, WORKER, requestSlot(token(1), JOB, 1));
    trace.answers(WORKER, JOB_MANAGER, earlier, SlotReply.allocated());
    registersAtResourceManager(trace, token(2));
    trace.answers(
        WORKER,
        JOB_MANAGER,
        trace.sends(JOB_MANAGER, WORKER, requestSlot(token(1), JOB, 2)),
        SlotReply.refused(new LeaderChanged()));
    trace.refuses(
        WORKER, JOB_MANAGER, trace.sends(JOB_MANAGER, WORKER, requestSlot(token(1), JOB, 2)));
    trace.answers(
        WORKER,
        JOB_MANAGER,
        trace.sends(JOB_MANAGER, WORKER, requestSlot(token(2), JOB, 2)),
        SlotReply.allocated());
    trace
        .isBrokenBy(() -> trace.answers(WORKER, JOB_MANAGER, earlier, SlotReply.allocated()))
        .hasMessageContaining("of term 1 although it follows term 2");
  }

  private static void registersAtResourceManager(RuleTrace trace, LeaderToken leader) {
    trace.hears(
        WORKER,
        JOB_MANAGER,
        trace.sends(WORKER, JOB_MANAGER, new AskWorker(leader, instance(1))),
        new TaskManagerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(new TaskManagerRegistered(instance(1), leader, ADDRESS, List.of()))));
  }

  private static void registersAtJobMaster(RuleTrace trace, LeaderToken leader) {
    trace.hears(
        WORKER,
        JOB_MANAGER,
        trace.sends(
            WORKER,
            JOB_MANAGER,
            new RegisterAtJobMaster(JOB, new WorkerId(WORKER), 1, ADDRESS, WORKER)),
        new WorkerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(new WorkerRegistered(leader))));
  }

  private static Record deployTasksOf(long term) {
    return deployTasks(JOB, token(term), deployment(term, 1), task(0, 0, 1));
  }

  @Test
  void workerExecutesNothingOfAnEarlierJobMaster() {
    for (Record message :
        List.of(
            deployTasksOf(1),
            new CancelTasks(JOB, token(1), List.of(execution(1))),
            new FreeSlot(JOB, token(1), slot(1), new SlotUnused()))) {
      RuleTrace trace = new RuleTrace(new LeaderRules.StaleLeadersAreFenced());
      Envelope.Call call = trace.sends(JOB_MANAGER, WORKER, message);
      trace.answers(WORKER, JOB_MANAGER, call, new Acknowledge());
      registersAtJobMaster(trace, token(2));
      trace.refuses(WORKER, JOB_MANAGER, call);
      trace
          .isBrokenBy(() -> trace.answers(WORKER, JOB_MANAGER, call, new Acknowledge()))
          .as(message.toString())
          .hasMessageContaining("of term 1");
    }
  }

  @Test
  void workerStartsNoTaskOfAnEarlierJobMaster() {
    RuleTrace trace =
        new RuleTrace(new LeaderRules.StaleLeadersAreFenced()).plan(Samples.graph(1, 2));
    SimulatedWorld.Worker worker = trace.worker(WORKER, 2);
    registersAtJobMaster(trace, token(2));
    trace.deploys(worker, Samples.graph(1, 2), deployment(2, 1), task(0, 0, 1));
    trace.isBrokenBy(
        () -> trace.deploys(worker, Samples.graph(1, 2), deployment(1, 7), task(1, 0, 2)));
  }

  @Test
  void workerRemovesAJobOnlyForItsLeader() {
    RuleTrace trace = new RuleTrace(new LeaderRules.StaleLeadersAreFenced());
    registersAtJobMaster(trace, token(2));
    jobMasterEnds(trace, token(2));
    trace.decides(WORKER, JOB, new JobRemoved(new TasksEnded()));

    RuleTrace stale = new RuleTrace(new LeaderRules.StaleLeadersAreFenced());
    registersAtJobMaster(stale, token(2));
    jobMasterEnds(stale, token(1));
    stale.isBrokenBy(() -> stale.decides(WORKER, JOB, new JobRemoved(new TasksEnded())));

    RuleTrace unasked = new RuleTrace(new LeaderRules.StaleLeadersAreFenced());
    registersAtJobMaster(unasked, token(2));
    unasked.isBrokenBy(() -> unasked.decides(WORKER, JOB, new JobRemoved(new TasksEnded())));
  }

  private static void jobMasterEnds(RuleTrace trace, LeaderToken jobMaster) {
    trace.arrives(
        JOB_MANAGER,
        WORKER,
        trace.sends(
            JOB_MANAGER, WORKER, new JobMasterDrops(JOB, jobMaster, true, new TasksEnded())));
  }

  @Test
  void workerRemovesAJobThatItsResourceManagerReportsAsEnded() {
    RuleTrace trace = new RuleTrace(new LeaderRules.StaleLeadersAreFenced());
    registersAtResourceManager(trace, token(2));
    trace.arrives(
        JOB_MANAGER,
        WORKER,
        trace.sends(JOB_MANAGER, WORKER, new JobEnded(token(2), instance(1), JOB)));
    trace.decides(WORKER, JOB, new JobRemoved(new JobEndReported()));

    RuleTrace stale = new RuleTrace(new LeaderRules.StaleLeadersAreFenced());
    registersAtResourceManager(stale, token(2));
    stale.arrives(
        JOB_MANAGER,
        WORKER,
        stale.sends(JOB_MANAGER, WORKER, new JobEnded(token(1), instance(1), JOB)));
    stale.isBrokenBy(() -> stale.decides(WORKER, JOB, new JobRemoved(new JobEndReported())));
  }

  @Test
  void resourceManagerAcceptsRequirementsOfTheNewestJobMaster() {
    RuleTrace trace = new RuleTrace(new LeaderRules.NewestJobMasterCounts());
    declares(trace, 1);
    registers(trace, 2, RegistrationStatus.ACCEPTED);
    registers(trace, 3, RegistrationStatus.REFUSED);
    declares(trace, 2);
    trace
        .isBrokenBy(() -> declares(trace, 1))
        .hasMessageContaining("the requirement is accepted from the leader of term 1 after 2");
    // Another ResourceManager starts in the same process and knows no JobMaster.
    trace.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 9);
    declares(trace, 1);
  }

  private static void declares(RuleTrace trace, long term) {
    trace.answers(
        JOB_MANAGER,
        OTHER_JOB_MANAGER,
        trace.sends(
            OTHER_JOB_MANAGER,
            JOB_MANAGER,
            new DeclareRequirements(JOB, token(term), List.of(), Duration.ofMinutes(5))),
        new Acknowledge());
  }

  private static void registers(RuleTrace trace, long term, RegistrationStatus verdict) {
    boolean accepted = verdict == RegistrationStatus.ACCEPTED;
    trace.answers(
        JOB_MANAGER,
        OTHER_JOB_MANAGER,
        trace.sends(
            OTHER_JOB_MANAGER, JOB_MANAGER, new RegisterJobMaster(JOB, token(term), ADDRESS)),
        new JobMasterReply(
            verdict,
            accepted ? Optional.empty() : Optional.of(new LeaderChanged()),
            accepted ? Optional.of(new JobMasterRegistered(token(9))) : Optional.empty()));
  }

  @Test
  void resourceManagerForgetsAJobOnlyForItsNewestJobMaster() {
    RuleTrace trace = new RuleTrace(new LeaderRules.NewestJobMasterCounts());
    registers(trace, 2, RegistrationStatus.ACCEPTED);
    leaves(trace, 2);
    forgets(trace);

    RuleTrace stale = new RuleTrace(new LeaderRules.NewestJobMasterCounts());
    registers(stale, 2, RegistrationStatus.ACCEPTED);
    leaves(stale, 1);
    stale.isBrokenBy(() -> forgets(stale)).hasMessageContaining("the end is accepted");
  }

  private static void leaves(RuleTrace trace, long term) {
    trace.arrives(
        OTHER_JOB_MANAGER,
        JOB_MANAGER,
        trace.sends(
            OTHER_JOB_MANAGER,
            JOB_MANAGER,
            new JobMasterLeaves(JOB, token(term), true, new TasksEnded())));
  }

  private static void forgets(RuleTrace trace) {
    trace.decides(JOB_MANAGER, JOB, new ResourceManagerEvent.JobForgotten(new JobEndReported()));
  }

  /** Calls inside of a process are not observed. */
  @Test
  void jobMasterInTheProcessOfTheResourceManagerCountsToo() {
    RuleTrace trace = new RuleTrace(new LeaderRules.NewestJobMasterCounts());
    trace.grants(JOB_MANAGER, JOB_MASTER, 4);
    trace.decides(JOB_MANAGER, JOB, new JobMasterStarted(4));
    trace.decides(JOB_MANAGER, JOB, new ResourceManagerEvent.JobMasterRegistered(ADDRESS));
    trace.isBrokenBy(() -> forgets(trace)).hasMessageContaining("after 4");
    trace.decides(JOB_MANAGER, JOB, new StatusChanged(JobStatus.FINISHED, new TasksEnded()));
    forgets(trace);
  }

  @Test
  void withdrawnLeaderIsNotPublishedForLong() {
    RuleTrace trace = new RuleTrace(new LeaderRules.WithdrawnLeadersAreNotPublished());
    LeaderToken token = trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    trace.decides(JOB_MANAGER, JOB, new JobArchived(JobStatus.FINISHED));
    trace.passes(Duration.ofSeconds(14));
    publishes(trace, token);
    trace.passes(Duration.ofSeconds(2));
    publishes(trace, token(2));
    trace.isBrokenBy(() -> publishes(trace, token)).hasMessageContaining("16000 ms ago");
  }

  @Test
  void lateArrivalOfAnEarlyAnswerIsNoPublication() {
    RuleTrace trace = new RuleTrace(new LeaderRules.WithdrawnLeadersAreNotPublished());
    LeaderToken token = trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    trace.decides(JOB_MANAGER, JOB, new JobArchived(JobStatus.FINISHED));
    Envelope.Call question =
        trace.sends(WORKER, JOB_MANAGER, new AwaitLeader(JOB_MASTER, Optional.empty()));
    LeaderAnswer answer = new LeaderAnswer(Optional.of(new Leader(ADDRESS, token)));
    trace.answers(JOB_MANAGER, WORKER, question, answer);
    trace.passes(Duration.ofMinutes(1));
    trace.hears(WORKER, JOB_MANAGER, question, answer);
  }

  private static void publishes(RuleTrace trace, LeaderToken token) {
    Envelope.Call question =
        trace.sends(WORKER, JOB_MANAGER, new AwaitLeader(JOB_MASTER, Optional.empty()));
    LeaderAnswer answer = new LeaderAnswer(Optional.of(new Leader(ADDRESS, token)));
    trace.answers(JOB_MANAGER, WORKER, question, answer);
    trace.hears(WORKER, JOB_MANAGER, question, answer);
  }

  @Test
  void revokedLeaderSendsNoDecision() {
    for (Record decision :
        List.of(
            requestSlot(token(1), JOB, 1),
            new AskWorker(token(1), instance(1)),
            new AskTasks(JOB, token(1)),
            new RegisterJobMaster(JOB, token(1), ADDRESS),
            new DeclareRequirements(JOB, token(1), List.of(), Duration.ZERO),
            deployTasksOf(1))) {
      RuleTrace trace = new RuleTrace(new LeaderRules.RevokedLeadersDoNotAct());
      trace.revokes(JOB_MANAGER, JOB_MASTER, token(1));
      trace.sends(JOB_MANAGER, WORKER, decision);
      trace.passes(Duration.ofNanos(1));
      trace
          .isBrokenBy(() -> trace.sends(JOB_MANAGER, WORKER, decision))
          .hasMessageContaining(decision.getClass().getSimpleName());
    }
  }

  @Test
  void revokedLeaderMayDisconnectAndItsSuccessorMayAct() {
    RuleTrace trace = new RuleTrace(new LeaderRules.RevokedLeadersDoNotAct());
    trace.revokes(JOB_MANAGER, JOB_MASTER, token(1));
    trace.passes(Duration.ofSeconds(1));
    trace.sends(JOB_MANAGER, WORKER, new JobMasterDrops(JOB, token(1), false, new LeaderChanged()));
    trace.sends(JOB_MANAGER, WORKER, deployTasksOf(2));
  }

  @Test
  void revokedLeaderAnswersNothing() {
    RuleTrace trace = new RuleTrace(new LeaderRules.RevokedLeadersDoNotAct());
    Envelope.Call call =
        trace.sends(
            WORKER, JOB_MANAGER, JOB_MASTER, Optional.of(token(1)), Samples.offer(WORKER, 1, 1));
    trace.answers(JOB_MANAGER, WORKER, call, Samples.accepts(1));
    trace.revokes(JOB_MANAGER, JOB_MASTER, token(1));
    trace.passes(Duration.ofNanos(1));
    trace.refuses(JOB_MANAGER, WORKER, call);
    trace.isBrokenBy(() -> trace.answers(JOB_MANAGER, WORKER, call, Samples.accepts(1)));
  }

  @Test
  void leaderExecutesOnlyCallsWithItsToken() {
    for (String component :
        List.of(ComponentNames.DISPATCHER, ComponentNames.RESOURCE_MANAGER, JOB_MASTER)) {
      RuleTrace trace = new RuleTrace(new LeaderRules.CallsAreFenced());
      LeaderToken token = trace.grants(JOB_MANAGER, component, 3);
      called(trace, component, Optional.of(token));
      trace
          .isBrokenBy(() -> called(trace, component, Optional.of(token(2))))
          .as(component)
          .isInstanceOf(Invariant.Broken.class);
      trace
          .isBrokenBy(() -> called(trace, component, Optional.empty()))
          .as(component)
          .isInstanceOf(Invariant.Broken.class);
    }
  }

  @Test
  void refusedCallsAndCallsWithoutFencingMayCarryAnyToken() {
    RuleTrace trace = new RuleTrace(new LeaderRules.CallsAreFenced());
    trace.grants(JOB_MANAGER, JOB_MASTER, 3);
    called(trace, "blobs", Optional.empty());
    Envelope.Call stale =
        trace.sends(
            WORKER, JOB_MANAGER, JOB_MASTER, Optional.of(token(1)), Samples.offer(WORKER, 1, 1));
    trace.refuses(JOB_MANAGER, WORKER, stale);
  }

  private static void called(RuleTrace trace, String component, Optional<LeaderToken> token) {
    Envelope.Call call =
        trace.sends(WORKER, JOB_MANAGER, component, token, Samples.offer(WORKER, 1, 1));
    trace.answers(JOB_MANAGER, WORKER, call, Samples.accepts(1));
  }
}
