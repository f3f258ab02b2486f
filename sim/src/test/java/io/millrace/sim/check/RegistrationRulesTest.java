package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.accepts;
import static io.millrace.sim.check.Samples.instance;
import static io.millrace.sim.check.Samples.offer;
import static io.millrace.sim.check.Samples.requestSlot;
import static io.millrace.sim.check.Samples.slot;
import static io.millrace.sim.check.Samples.token;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.Superseded;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.leader.LeaderDirectoryGateway.AwaitLeader;
import io.millrace.rpc.leader.LeaderDirectoryGateway.LeaderAnswer;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RegistrationRulesTest {
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Address ADDRESS = new Address(WORKER, "taskmanager");

  private static void registers(RuleTrace trace, LeaderToken jobMaster, long incarnation) {
    Envelope.Call call =
        trace.sends(
            WORKER,
            JOB_MANAGER,
            JOB_MASTER,
            Optional.of(jobMaster),
            new RegisterAtJobMaster(JOB, new WorkerId(WORKER), incarnation, ADDRESS, WORKER));
    trace.answers(
        JOB_MANAGER,
        WORKER,
        call,
        new WorkerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(new WorkerRegistered(jobMaster))));
  }

  private static void offers(RuleTrace trace, LeaderToken jobMaster, long incarnation) {
    Envelope.Call call =
        trace.sends(
            WORKER, JOB_MANAGER, JOB_MASTER, Optional.of(jobMaster), offer(WORKER, incarnation, 1));
    trace.answers(JOB_MANAGER, WORKER, call, accepts(1));
  }

  @Test
  void jobMasterDropsTheFormerProcessBeforeTheNextRegisters() {
    RuleTrace trace = new RuleTrace(new RegistrationRules.FormerIncarnationIsDropped());
    LeaderToken jobMaster = trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    registers(trace, jobMaster, 7);
    registers(trace, jobMaster, 7);
    trace.decidesOn(JOB_MANAGER, JOB, WORKER, new WorkerLost(new Superseded(new WorkerId(WORKER))));
    registers(trace, jobMaster, 8);
    trace
        .isBrokenBy(() -> registers(trace, jobMaster, 9))
        .hasMessageContaining("has not dropped process 8");
  }

  @Test
  void anotherLeaderKnowsNoFormerProcess() {
    RuleTrace trace = new RuleTrace(new RegistrationRules.FormerIncarnationIsDropped());
    registers(trace, trace.grants(JOB_MANAGER, JOB_MASTER, 1), 7);
    registers(trace, trace.grants(JOB_MANAGER, JOB_MASTER, 2), 8);
  }

  @Test
  void jobMasterAcceptsSlotsOfTheRegisteredProcess() {
    RuleTrace trace = new RuleTrace(new RegistrationRules.FormerIncarnationIsDropped());
    LeaderToken jobMaster = trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    offers(trace, jobMaster, 6);
    registers(trace, jobMaster, 7);
    offers(trace, jobMaster, 7);
    trace
        .isBrokenBy(() -> offers(trace, jobMaster, 6))
        .hasMessageContaining("accepts slots of process 6");
  }

  @Test
  void offerWithoutAcceptedSlotsMayComeFromAnyProcess() {
    RuleTrace trace = new RuleTrace(new RegistrationRules.FormerIncarnationIsDropped());
    LeaderToken jobMaster = trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    registers(trace, jobMaster, 7);
    Envelope.Call call =
        trace.sends(WORKER, JOB_MANAGER, JOB_MASTER, Optional.of(jobMaster), offer(WORKER, 6, 1));
    trace.answers(JOB_MANAGER, WORKER, call, accepts());
  }

  private static Envelope.Call attempts(RuleTrace trace, int attempt) {
    return trace.sends(
        WORKER,
        JOB_MANAGER,
        ComponentNames.RESOURCE_MANAGER,
        Optional.of(token(1)),
        new RegisterTaskManager(
            new WorkerId(WORKER),
            attempt,
            ADDRESS,
            WORKER,
            new Hardware(1, 1, 1, 1),
            ResourceProfile.UNSPECIFIED,
            ResourceProfile.UNSPECIFIED));
  }

  private static void accepted(RuleTrace trace, Envelope.Call attempt, int instance) {
    trace.answers(
        JOB_MANAGER,
        WORKER,
        attempt,
        new TaskManagerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(
                new TaskManagerRegistered(instance(instance), token(1), ADDRESS, List.of()))));
  }

  private static Envelope.Call reports(RuleTrace trace, int instance) {
    return trace.sends(
        WORKER,
        JOB_MANAGER,
        ComponentNames.RESOURCE_MANAGER,
        Optional.of(token(1)),
        new ReportSlots(
            new WorkerId(WORKER), instance(instance), new SlotReport(List.of(), List.of())));
  }

  @Test
  void workerReportsUnderItsNewestAttempt() {
    RuleTrace trace = new RuleTrace(new RegistrationRules.NewestRegistrationCounts());
    accepted(trace, attempts(trace, 1), 1);
    reports(trace, 1);
    accepted(trace, attempts(trace, 2), 2);
    reports(trace, 2);
    trace.isBrokenBy(() -> reports(trace, 1)).hasMessageContaining("reports as " + instance(1));
  }

  @Test
  void resourceManagerAcceptsNoReportUnderAnEarlierInstance() {
    RuleTrace trace = new RuleTrace(new RegistrationRules.NewestRegistrationCounts());
    accepted(trace, attempts(trace, 1), 1);
    Envelope.Call early = reports(trace, 1);
    trace.answers(JOB_MANAGER, WORKER, early, new Acknowledge());
    accepted(trace, attempts(trace, 2), 2);
    trace.refuses(JOB_MANAGER, WORKER, early);
    trace
        .isBrokenBy(() -> trace.answers(JOB_MANAGER, WORKER, early, new Acknowledge()))
        .hasMessageContaining("which is registered as " + instance(2));
  }

  private static RuleTrace pausing() {
    return new RuleTrace(new RegistrationRules.RegistrationPausesAreRespected())
        .with(Configuration.EMPTY.with(ClusterOptions.ERROR_REGISTRATION_DELAY, PAUSE));
  }

  @Test
  void followerPausesAfterARegistrationThatFailedWithItsConnection() {
    RuleTrace trace = pausing();
    attempts(trace, 1);
    trace.losesConnection(WORKER, JOB_MANAGER);
    trace.passes(PAUSE);
    attempts(trace, 2);
    trace.losesConnection(WORKER, JOB_MANAGER);
    trace.passes(PAUSE.minusMillis(1));
    trace
        .isBrokenBy(() -> attempts(trace, 3))
        .hasMessageContaining("again 1999 ms after its connection was lost");
  }

  /** It was answered, or its time was over, or another process or leader is concerned. */
  @Test
  void otherRegistrationsNeedNoPause() {
    List<Consumer<RuleTrace>> steps =
        List.of(
            trace -> {
              Envelope.Call attempt = attempts(trace, 1);
              trace.hears(WORKER, JOB_MANAGER, attempt, new Acknowledge());
              trace.losesConnection(WORKER, JOB_MANAGER);
            },
            trace -> {
              attempts(trace, 1);
              trace.passes(Duration.ofSeconds(10));
              trace.losesConnection(WORKER, JOB_MANAGER);
            },
            trace -> {
              attempts(trace, 1);
              trace.losesConnection(WORKER, "jobmanager-2");
            },
            trace -> {
              attempts(trace, 1);
              trace.losesConnection(WORKER, JOB_MANAGER);
              trace.process(WORKER).kill();
            },
            trace -> {
              attempts(trace, 1);
              trace.losesConnection(WORKER, JOB_MANAGER);
              Envelope.Call ask =
                  trace.sends(
                      WORKER,
                      JOB_MANAGER,
                      new AwaitLeader(ComponentNames.RESOURCE_MANAGER, Optional.empty()));
              trace.hears(WORKER, JOB_MANAGER, ask, new LeaderAnswer(Optional.empty()));
            });
    for (Consumer<RuleTrace> step : steps) {
      RuleTrace trace = pausing();
      step.accept(trace);
      attempts(trace, 2);
    }
  }

  @Test
  void firstSlotOfAJobBeginsAnotherRegistrationAtTheJobMaster() {
    RuleTrace trace = pausing();
    trace.worker(WORKER, 2);
    registersAt(trace, 1);
    trace.losesConnection(WORKER, JOB_MANAGER);
    trace.isBrokenBy(() -> registersAt(trace, 1));

    RuleTrace asked = pausing();
    asked.worker(WORKER, 2);
    registersAt(asked, 1);
    asked.losesConnection(WORKER, JOB_MANAGER);
    requestsSlot(asked);
    registersAt(asked, 1);
    asked.losesConnection(WORKER, JOB_MANAGER);
    registersAt(asked, 2);
  }

  /** The worker has given up the attempt with its last slot, before the connection broke. */
  @Test
  void attemptOfAFormerRegistrationDoesNotFailWithItsConnection() {
    RuleTrace trace = pausing();
    trace.worker(WORKER, 2);
    registersAt(trace, 1);
    requestsSlot(trace);
    trace.losesConnection(WORKER, JOB_MANAGER);
    registersAt(trace, 1);
    trace.losesConnection(WORKER, JOB_MANAGER);
    trace.isBrokenBy(() -> registersAt(trace, 1)).hasMessageContaining("again 0 ms");
  }

  @Test
  void furtherSlotOfAJobBeginsNoOtherRegistration() {
    RuleTrace failed = pausing();
    holdsSlot(failed);
    registersAt(failed, 1);
    failed.losesConnection(WORKER, JOB_MANAGER);
    requestsSlot(failed);
    failed.isBrokenBy(() -> registersAt(failed, 1)).hasMessageContaining("again 0 ms");

    RuleTrace open = pausing();
    holdsSlot(open);
    registersAt(open, 1);
    requestsSlot(open);
    open.losesConnection(WORKER, JOB_MANAGER);
    open.isBrokenBy(() -> registersAt(open, 1)).hasMessageContaining("again 0 ms");
  }

  private static void holdsSlot(RuleTrace trace) {
    trace
        .worker(WORKER, 2)
        .slots()
        .allocate(0, new Occupant(slot(9), JOB), new ResourceProfile(1, 0, 0, 0, 0), 0);
  }

  private static void requestsSlot(RuleTrace trace) {
    trace.arrives(
        JOB_MANAGER, WORKER, trace.sends(JOB_MANAGER, WORKER, requestSlot(token(1), JOB, 1)));
  }

  @Test
  void resourceManagerThatEndsARegistrationIsRegisteredAtWithoutAPause() {
    RuleTrace trace = pausing();
    attempts(trace, 1);
    trace.losesConnection(WORKER, JOB_MANAGER);
    drops(trace, token(2));
    trace.isBrokenBy(() -> attempts(trace, 2)).hasMessageContaining("again 0 ms");

    RuleTrace told = pausing();
    attempts(told, 1);
    told.losesConnection(WORKER, JOB_MANAGER);
    drops(told, token(1));
    attempts(told, 2);
    told.losesConnection(WORKER, JOB_MANAGER);
    told.isBrokenBy(() -> attempts(told, 3)).hasMessageContaining("again 0 ms");
  }

  private static void drops(RuleTrace trace, LeaderToken resourceManager) {
    trace.arrives(
        JOB_MANAGER,
        WORKER,
        trace.sends(
            JOB_MANAGER,
            WORKER,
            new ResourceManagerDrops(
                resourceManager, instance(1), false, new ConnectionLost("it broke"))));
  }

  private static void registersAt(RuleTrace trace, long term) {
    trace.sends(
        WORKER,
        JOB_MANAGER,
        JOB_MASTER,
        Optional.of(token(term)),
        new RegisterAtJobMaster(JOB, new WorkerId(WORKER), 7, ADDRESS, WORKER));
  }
}
