package io.millrace.control.resourcemanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.cluster.Cluster;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.BlobGateway;
import io.millrace.protocol.Components;
import io.millrace.protocol.JobMasterGateway.RequirementsPending;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerLeaves;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.ResourceManagerGateway.Workers;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.journal.Event;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LocalLeadership;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.rpc.registration.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResourceManagerTest {
  private static final JobId JOB = new JobId(new Id128(0, 1));

  private final ManualEnv env = new ManualEnv();
  private final InProcessNetwork network = new InProcessNetwork();
  private final LocalLeadership leadership = new LocalLeadership(env);
  private final Rpc rpc = rpc("jobmanager");
  private final Mailbox mailbox = env.mailbox("test");
  private final List<Throwable> fatal = new ArrayList<>();
  private final Map<String, Rpc> processes = new LinkedHashMap<>();
  private Optional<Leader> leader = Optional.empty();

  @BeforeEach
  void follow() {
    leadership.follow(Components.RESOURCE_MANAGER, mailbox, now -> leader = now);
  }

  // --- registration of TaskManagers

  @Test
  void registersAWorkerAndTellsItsInstanceAndWhereTheBlobsAre() {
    start();
    TaskManagerReply reply = register(taskManager("w", 2), 1);
    assertThat(reply.verdict()).isEqualTo(Verdict.ACCEPTED);
    assertThat(reply.success().orElseThrow().resourceManager()).isEqualTo(leader().token());
    assertThat(reply.success().orElseThrow().blobs())
        .isEqualTo(new Address("jobmanager", BlobGateway.NAME));
  }

  @Test
  void declinesAWorkerItCannotReachBack() {
    start();
    FakeTaskManager caller = taskManager("w", 2);
    for (Address unreachable :
        List.of(new Address("nowhere", "taskmanager"), new Address("w", "nobody"))) {
      CompletableFuture<TaskManagerReply> reply =
          caller
              .at(leader())
              .registerTaskManager(
                  new RegisterTaskManager(
                      caller.id,
                      1,
                      unreachable,
                      "host:1",
                      new WorkerInfo.Hardware(1, 1, 1, 1),
                      FakeTaskManager.SLOT,
                      FakeTaskManager.SLOT));
      env.settle();
      assertThat(reply.join().verdict()).isEqualTo(Verdict.REFUSED);
      assertThat(reply.join().reason()).contains("cannot reach worker w at " + unreachable);
    }
    assertThat(workers()).isEmpty();
    assertThat(register(caller, 2).verdict()).isEqualTo(Verdict.ACCEPTED);
  }

  @Test
  void newestOfTwoAttemptsWins() {
    start();
    FakeTaskManager worker = taskManager("w", 2);
    CompletableFuture<TaskManagerReply> first = worker.register(leader(), 1);
    CompletableFuture<TaskManagerReply> second = worker.register(leader(), 2);
    env.settle();
    assertThat(first.join().verdict()).isEqualTo(Verdict.REFUSED);
    assertThat(second.join().verdict()).isEqualTo(Verdict.ACCEPTED);
    InstanceId instance = worker.instance.orElseThrow();

    assertThat(register(worker, 1).verdict()).isEqualTo(Verdict.REFUSED);
    assertThat(register(worker, 2).success().orElseThrow().instance()).isEqualTo(instance);
    assertThat(workers()).hasSize(1);
  }

  @Test
  void rejectsForGoodAWorkerTheDriverDoesNotKnow() {
    start(Configuration.EMPTY, new PickyDriver());
    TaskManagerReply reply = register(taskManager("stranger", 2), 1);
    assertThat(reply.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(reply.reason()).contains("stranger is unknown here");
  }

  @Test
  void reregistrationReplacesTheInstanceAndItsSlots() {
    start();
    FakeTaskManager worker = registered("w", 2);
    InstanceId old = worker.instance.orElseThrow();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    worker.occupants.clear();
    assertThat(register(worker, 2).success().orElseThrow().instance()).isNotEqualTo(old);
    assertThat(workers().get(0).slots()).isZero();
    worker.report(leader());
    env.settle();
    assertThat(worker.requests)
        .extracting(RequestSlot::instance)
        .containsExactly(old, old, worker.instance.get(), worker.instance.get());
    assertThat(worker.drops).isEmpty();
  }

  @Test
  void tellsAnotherProcessOfTheSameNameThatItWasReplaced() {
    start();
    FakeTaskManager old = registered("w", 2);
    InstanceId instance = old.instance.orElseThrow();
    FakeTaskManager fresh = new FakeTaskManager(rpc("elsewhere"), "w", 2);
    assertThat(register(fresh, 1).verdict()).isEqualTo(Verdict.ACCEPTED);
    assertThat(old.drops).hasSize(1);
    assertThat(old.drops.get(0).instance()).isEqualTo(instance);
    assertThat(old.drops.get(0).reason()).contains("has registered anew");
  }

  // --- slot reports

  @Test
  void reportCreatesSlotsAndAdoptsAllocatedOnes() {
    start();
    FakeTaskManager worker = taskManager("w", 2);
    worker.occupants.put(1, new Occupant(FakeTaskManager.allocation(1), JOB));
    register(worker, 1);
    worker.report(leader());
    env.settle();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    assertThat(worker.requests).extracting(RequestSlot::slot).containsExactly(0);
    assertThat(last(jobMaster.pending).missing()).isEqualTo(1);
  }

  @Test
  void refusesAReportUnderAnOutdatedRegistration() {
    start();
    FakeTaskManager worker = registered("w", 2);
    InstanceId old = worker.instance.orElseThrow();
    register(worker, 2);
    CompletableFuture<?> refused = worker.report(leader(), old);
    env.settle();
    assertThatThrownBy(refused::join).hasMessageContaining("has to register anew");
    assertThat(workers().get(0).slots()).isZero();
  }

  @Test
  void heartbeatsMendWhatANoticeThatWasLostWouldHaveSaid() {
    start();
    FakeTaskManager worker = registered("w", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    jobMaster.declare(leader(), 0);
    worker.occupants.clear();
    env.advance(Duration.ofSeconds(10));
    assertThat(workers().get(0).freeSlots()).isEqualTo(1);
  }

  // --- losses

  @Test
  void lostConnectionClosesTheRegistrationAtOnceAndPlansAnew() {
    start();
    FakeTaskManager lost = registered("a", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    FakeTaskManager spare = registered("b", 1);
    processes.get("a").close();
    env.settle();
    assertThat(workers()).extracting(WorkerInfo::worker).containsExactly(spare.id);
    assertThat(spare.requests).hasSize(1);
    assertThat(lost.requests).hasSize(1);
    assertThat(clusterJournal("worker lost")).hasSize(1);
  }

  @Test
  void silentWorkerIsClosedAfterTheHeartbeatTimeoutAndToldWhy() {
    start();
    FakeTaskManager worker = registered("w", 1);
    env.advance(Duration.ofMinutes(2));
    assertThat(workers()).hasSize(1);
    InstanceId instance = worker.instance.orElseThrow();
    worker.answersHeartbeats = false;
    env.advance(Duration.ofSeconds(61));
    assertThat(workers()).isEmpty();
    assertThat(worker.drops).hasSize(1);
    assertThat(worker.drops.get(0).instance()).isEqualTo(instance);
    assertThat(worker.drops.get(0).resourceManager()).isEqualTo(leader().token());
    assertThat(worker.drops.get(0).reason()).contains("heartbeats");
  }

  @Test
  void silentJobMasterIsClosedAndToldWhyButItsRequirementsStay() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    jobMaster.answersHeartbeats = false;
    env.advance(Duration.ofSeconds(61));
    assertThat(jobMaster.forgets).hasSize(1);
    assertThat(jobMaster.forgets.get(0).reason()).contains("heartbeats");
    assertThat(registered("w", 1).requests).hasSize(1);
  }

  @Test
  void lostConnectionToAJobMasterClosesItsRegistration() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    processes.get("jobmaster-1").close();
    env.settle();
    assertThat(jobJournal("jobmaster lost")).hasSize(1);
    FakeJobMaster again = new FakeJobMaster(rpc("again"), JOB, jobMaster.leader);
    CompletableFuture<JobMasterReply> reply = again.register(leader());
    env.settle();
    assertThat(reply.join().verdict()).isEqualTo(Verdict.ACCEPTED);
  }

  @Test
  void workerThatLeavesIsClosed() {
    start();
    FakeTaskManager worker = registered("w", 1);
    worker
        .at(leader())
        .disconnectTaskManager(
            new TaskManagerLeaves(worker.id, new InstanceId(new Id128(0, 0)), "somebody else"));
    env.settle();
    assertThat(workers()).hasSize(1);
    worker
        .at(leader())
        .disconnectTaskManager(
            new TaskManagerLeaves(worker.id, worker.instance.orElseThrow(), "done"));
    env.settle();
    assertThat(workers()).isEmpty();
    assertThat(worker.drops).isEmpty();
  }

  // --- JobMasters

  @Test
  void declinesAJobMasterThatDoesNotLeadItsJob() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster leading = elected.confirm();
    FakeJobMaster stale =
        new FakeJobMaster(
            rpc("stale"), JOB, new LeaderToken(leading.leader.term() - 1, new Id128(0, 0)));
    CompletableFuture<JobMasterReply> reply = stale.register(leader());
    env.settle();
    assertThat(reply.join().verdict()).isEqualTo(Verdict.REFUSED);
    assertThat(reply.join().reason()).contains(leading.leader.toString());
  }

  @Test
  void acceptsAJobMasterAsSoonAsItsLeadershipIsKnown() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.jobMaster();
    CompletableFuture<JobMasterReply> reply = jobMaster.register(leader());
    env.advance(Duration.ofSeconds(1));
    assertThat(reply).isNotDone();
    elected.confirm(jobMaster);
    assertThat(reply.join().verdict()).isEqualTo(Verdict.ACCEPTED);
    assertThat(reply.join().success().orElseThrow().resourceManager()).isEqualTo(leader().token());
  }

  @Test
  void registeringAgainUnderTheSameLeaderChangesNothing() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    CompletableFuture<JobMasterReply> again = jobMaster.register(leader());
    env.settle();
    assertThat(again.join().verdict()).isEqualTo(Verdict.ACCEPTED);
    assertThat(jobJournal("jobmaster registered")).hasSize(1);
    assertThat(jobMaster.forgets).isEmpty();
  }

  @Test
  void olderJobMasterIsToldThatItLeadsNoMoreAndReplaced() {
    start();
    Candidate first = new Candidate();
    FakeJobMaster old = first.confirm();
    old.register(leader());
    old.declare(leader(), 3);
    env.settle();
    first.candidacy.withdraw();
    FakeJobMaster fresh = new Candidate().confirm();
    assertThat(old.forgets).hasSize(1);
    assertThat(old.forgets.get(0).reason()).contains("no longer the leader");
    fresh.register(leader());
    CompletableFuture<?> late = old.declare(leader(), 7);
    env.settle();
    assertThatThrownBy(late::join).hasMessageContaining("is not registered");

    fresh.declare(leader(), 3);
    env.settle();
    assertThat(last(fresh.pending).missing()).isEqualTo(3);
  }

  @Test
  void jobWithoutALeaderIsForgottenWithItsRequirements() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.confirm();
    jobMaster.register(leader());
    jobMaster.declare(leader(), 1);
    env.settle();
    elected.candidacy.withdraw();
    env.advance(Duration.ofMinutes(5).minusMillis(1));
    assertThat(jobJournal("job forgotten")).isEmpty();
    env.advance(Duration.ofMillis(1));
    assertThat(jobJournal("job forgotten")).hasSize(1);
    assertThat(registered("w", 1).requests).isEmpty();
  }

  @Test
  void jobThatFindsALeaderInTimeIsNotForgotten() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.confirm();
    jobMaster.register(leader());
    env.settle();
    elected.candidacy.withdraw();
    env.advance(Duration.ofMinutes(4));
    FakeJobMaster next = new Candidate().confirm();
    next.register(leader());
    next.declare(leader(), 1);
    env.advance(Duration.ofMinutes(2));
    assertThat(jobJournal("job forgotten")).isEmpty();
    assertThat(registered("w", 1).requests).hasSize(1);
  }

  @Test
  void jobThatHasEndedIsForgottenAtOnce() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    jobMaster
        .at(leader())
        .disconnectJobMaster(new JobMasterLeaves(JOB, jobMaster.leader, true, "finished"));
    env.settle();
    assertThat(jobJournal("job forgotten")).hasSize(1);
    assertThat(registered("w", 1).requests).isEmpty();
    assertThat(jobMaster.forgets).isEmpty();
  }

  // --- slots

  @Test
  void givesSlotsToAJobAndAgainWhenTheyAreFreed() {
    start();
    FakeTaskManager worker = registered("w", 2);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    assertThat(worker.requests).hasSize(2);
    RequestSlot request = worker.requests.get(0);
    assertThat(request.resourceManager()).isEqualTo(leader().token());
    assertThat(request.job()).isEqualTo(JOB);
    assertThat(workers().get(0).occupants()).containsExactly(JOB, JOB);
    assertThat(last(jobMaster.pending).missing()).isEqualTo(1);

    worker.occupants.remove(request.slot());
    worker
        .at(leader())
        .slotAvailable(
            new SlotAvailable(
                worker.id, worker.instance.orElseThrow(), request.slot(), request.allocation()));
    env.settle();
    assertThat(worker.requests).hasSize(3);
    assertThat(worker.requests.get(2).slot()).isEqualTo(request.slot());
    assertThat(worker.requests.get(2).allocation()).isNotEqualTo(request.allocation());
  }

  @Test
  void triesAnotherWorkerWhenOneRefuses() {
    start();
    FakeTaskManager refusing = registered("a", 1);
    refusing.mood = FakeTaskManager.Mood.REFUSES;
    FakeTaskManager willing = registered("b", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    assertThat(refusing.requests).hasSize(1);
    assertThat(willing.requests).hasSize(1);
    assertThat(jobJournal("slot refused").get(0).detail()).contains("a#0", "there is no room");
  }

  @Test
  void triesAnotherWorkerWhenOneDoesNotAnswer() {
    start();
    FakeTaskManager silent = registered("a", 1);
    silent.mood = FakeTaskManager.Mood.IS_SILENT;
    FakeTaskManager willing = registered("b", 1);
    registeredJobMaster().declare(leader(), 1);
    env.settle();
    assertThat(willing.requests).isEmpty();
    env.advance(Duration.ofSeconds(10));
    assertThat(willing.requests).hasSize(1);
  }

  @Test
  void tellsTheJobWhatIsMissingAndFailsItWithTheNumbers() {
    start();
    registered("w", 5);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 8);
    env.settle();
    RequirementsPending notice = last(jobMaster.pending);
    assertThat(notice.missing()).isEqualTo(3);
    assertThat(notice.reason())
        .isEqualTo(
            "The job needs 8 slots and has 5; 5 are registered by 1 TaskManager, 0 of them free."
                + " Start more TaskManagers or lower the parallelism.");
    env.advance(Duration.ofMinutes(5).minusSeconds(1));
    assertThat(jobMaster.failed).isEmpty();
    env.advance(Duration.ofSeconds(1));
    assertThat(jobMaster.failed).hasSize(1);
    assertThat(jobMaster.failed.get(0).resourceManager()).isEqualTo(leader().token());
    assertThat(jobMaster.failed.get(0).reason()).contains("needs 8 slots and has 5 after 5 min");
  }

  @Test
  void clearsTheReasonWhenSlotsCome() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    assertThat(last(jobMaster.pending).missing()).isEqualTo(1);
    registered("w", 1);
    assertThat(last(jobMaster.pending).missing()).isZero();
  }

  @Test
  void journalsEachDecisionOfAJob() {
    start();
    registered("w", 2);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    assertThat(env.journal().of(JOB))
        .extracting(Event::what)
        .containsExactly(
            "jobmaster registered",
            "slots declared",
            "slots requested",
            "slots missing",
            "slots granted");
    assertThat(jobJournal("slots requested").get(0).detail())
        .isEqualTo("2 slots requested of worker w.");
    assertThat(clusterJournal("worker registered")).hasSize(1);
    assertThat(clusterJournal("slots reported")).hasSize(1);
  }

  @Test
  void listsWorkersWithWhatTheyLastReported() {
    start();
    FakeTaskManager worker = registered("w", 2);
    long registeredAt = env.wallMillis();
    assertThat(workers().get(0).metrics()).isEqualTo(FakeTaskManager.METRICS);
    registeredJobMaster().declare(leader(), 1);
    env.advance(Duration.ofSeconds(25));
    WorkerInfo info = workers().get(0);
    assertThat(info.worker()).isEqualTo(worker.id);
    assertThat(info.address()).isEqualTo(worker.address());
    assertThat(info.dataAddress()).isEqualTo("host:1");
    assertThat(info.registeredAt()).isEqualTo(registeredAt);
    assertThat(info.lastHeartbeatAt()).isEqualTo(registeredAt + 20_000);
    assertThat(info.slots()).isEqualTo(2);
    assertThat(info.freeSlots()).isEqualTo(1);
    assertThat(info.occupants()).containsExactly(JOB);
    assertThat(info.metrics()).isEqualTo(FakeTaskManager.METRICS);
  }

  // --- helpers

  private Rpc rpc(String process) {
    return new Rpc(env, network.join(process), Duration.ofSeconds(10));
  }

  private void start() {
    start(Configuration.EMPTY, new StandaloneDriver());
  }

  private void start(Configuration configuration, WorkerDriver driver) {
    new ResourceManagerRunner(
            new Cluster(
                rpc, leadership, leadership, configuration.with(Options.HEARTBEAT_TIMEOUT, "50 s")),
            driver,
            fatal::add)
        .start();
    env.settle();
  }

  private Leader leader() {
    return leader.orElseThrow();
  }

  private FakeTaskManager taskManager(String name, int slots) {
    Rpc process = rpc(name);
    processes.put(name, process);
    FakeTaskManager worker = new FakeTaskManager(process, name, slots);
    env.settle();
    return worker;
  }

  private TaskManagerReply register(FakeTaskManager worker, long attempt) {
    CompletableFuture<TaskManagerReply> reply = worker.register(leader(), attempt);
    env.settle();
    return reply.join();
  }

  private FakeTaskManager registered(String name, int slots) {
    FakeTaskManager worker = taskManager(name, slots);
    assertThat(register(worker, 1).verdict()).isEqualTo(Verdict.ACCEPTED);
    worker.report(leader());
    env.settle();
    return worker;
  }

  private FakeJobMaster registeredJobMaster() {
    FakeJobMaster jobMaster = new Candidate().confirm();
    CompletableFuture<JobMasterReply> reply = jobMaster.register(leader());
    env.settle();
    assertThat(reply.join().verdict()).isEqualTo(Verdict.ACCEPTED);
    return jobMaster;
  }

  private List<WorkerInfo> workers() {
    CompletableFuture<Workers> workers =
        rpc.gateway(
                ResourceManagerGateway.class,
                leader().address(),
                Optional.of(leader().token()),
                mailbox)
            .listWorkers(new ListWorkers());
    env.settle();
    return workers.join().workers();
  }

  private List<Event> jobJournal(String what) {
    return env.journal().of(JOB).stream().filter(event -> event.what().equals(what)).toList();
  }

  private List<Event> clusterJournal(String what) {
    return env.journal().ofCluster().stream().filter(e -> e.what().equals(what)).toList();
  }

  private static <T> T last(List<T> elements) {
    assertThat(elements).isNotEmpty();
    return elements.get(elements.size() - 1);
  }

  /** Takes part in the election of the job's leader. */
  private final class Candidate implements LeaderElection.Contender {
    private final LeaderElection.Candidacy candidacy;
    private Optional<LeaderToken> token = Optional.empty();

    Candidate() {
      candidacy = leadership.contend(Components.jobMaster(JOB), mailbox, this);
      env.settle();
    }

    @Override
    public void granted(LeaderToken token) {
      this.token = Optional.of(token);
    }

    @Override
    public void revoked() {
      token = Optional.empty();
    }

    FakeJobMaster jobMaster() {
      String name = "jobmaster-" + (processes.size() + 1);
      Rpc process = rpc(name);
      processes.put(name, process);
      FakeJobMaster jobMaster = new FakeJobMaster(process, JOB, token.orElseThrow());
      env.settle();
      return jobMaster;
    }

    FakeJobMaster confirm() {
      return confirm(jobMaster());
    }

    FakeJobMaster confirm(FakeJobMaster jobMaster) {
      candidacy.confirm(jobMaster.leader, jobMaster.address());
      env.settle();
      return jobMaster;
    }
  }

  private static final class PickyDriver implements WorkerDriver {
    @Override
    public void start() {}

    @Override
    public boolean recognises(WorkerId worker) {
      return worker.value().startsWith("own");
    }

    @Override
    public String advice() {
      return "Wait.";
    }

    @Override
    public void stop() {}
  }
}
