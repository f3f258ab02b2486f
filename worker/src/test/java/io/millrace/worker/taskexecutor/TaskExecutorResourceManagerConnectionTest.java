package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.text;
import static io.millrace.worker.Reasons.words;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.JOB;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.WORKER;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.allocation;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.TaskManagerGateway.WorkerReport;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.journal.TaskExecutorEvent.ResourceManagerDisconnected;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the registration of a TaskManager at the ResourceManager. */
class TaskExecutorResourceManagerConnectionTest {
  private TaskManagerFixture fixture = new TaskManagerFixture();

  @Test
  @Behaviour(
      "D3: a registration carries address, worker id, data port, hardware, default slot and total"
          + " profile")
  @Behaviour(
      "F2: a TaskManager finds the ResourceManager leader, registers and sends its slot report")
  void registersWithTheLeaderAndReportsItsSlots() {
    fixture.registered();

    RegisterTaskManager registration = fixture.resourceManager.registrations.get(0);
    assertThat(registration.worker()).isEqualTo(WORKER);
    assertThat(registration.address()).isEqualTo(fixture.executor.address());
    assertThat(registration.dataAddress()).isEqualTo("tm:7000");
    assertThat(registration.hardware()).isEqualTo(new Hardware(4, 1000, 800, 0));
    assertThat(registration.slot().taskHeap()).isEqualTo(100);
    assertThat(registration.total().taskHeap()).isEqualTo(400);
    assertThat(fixture.resourceManager.reports).hasSize(1);
    assertThat(fixture.resourceManager.reports.get(0).instance())
        .isEqualTo(fixture.resourceManager.instance());
    assertThat(fixture.resourceManager.reports.get(0).report().slots())
        .hasSize(4)
        .allMatch(slot -> slot.occupant().isEmpty());
  }

  @Test
  @Behaviour(
      "E2: a process that starts before its JobManager registers as soon as the JobManager is up")
  void registersWhenALeaderIsElected() {
    fixture.executor.start();
    fixture.env.advance(Duration.ofSeconds(20));
    fixture.leadResourceManager(fixture.resourceManager);
    fixture.env.settle();
    assertThat(fixture.resourceManager.reports).hasSize(1);
  }

  @Test
  void repeatsUnansweredAttemptsWithGrowingNumbersAndTimeouts() {
    fixture.resourceManager.mute = true;
    fixture.registered();
    fixture.env.advance(Duration.ofMillis(100 + 200 + 400));

    assertThat(fixture.resourceManager.registrations).hasSize(4);
    assertThat(fixture.resourceManager.registrations)
        .extracting(RegisterTaskManager::attempt)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  @Behaviour(
      "D4: a report under an outdated registration is refused, and the TaskManager registers anew")
  void refusedReportLeadsToAnotherRegistration() {
    fixture.resourceManager.failingReports = 1;
    fixture.registered();
    assertThat(fixture.resourceManager.registrations).hasSize(1);
    assertThat(fixture.resourceManager.reports).isEmpty();

    fixture.env.advance(Duration.ofSeconds(10));

    assertThat(fixture.resourceManager.registrations).hasSize(2);
    assertThat(fixture.resourceManager.reports).hasSize(1);
  }

  @Test
  @Behaviour("D3: a TaskManager unknown to the driver is rejected for good, and its process ends")
  void rejectionForGoodEndsTheProcess() {
    fixture.resourceManager.verdict = RegistrationStatus.REJECTED;
    fixture.registered();

    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0))
        .hasMessageContaining("rejected worker w1")
        .hasMessageContaining("set by the test");
  }

  @Test
  @Behaviour("D3: a TaskManager that cannot be reached back is declined and retries")
  void retriesAfterARefusal() {
    fixture.resourceManager.verdict = RegistrationStatus.REFUSED;
    fixture.registered();
    fixture.resourceManager.verdict = RegistrationStatus.ACCEPTED;
    fixture.env.advance(Duration.ofSeconds(30));
    assertThat(fixture.resourceManager.reports).hasSize(1);
    assertThat(fixture.fatal).isEmpty();
  }

  @Test
  @Behaviour("E2: a new connection to the same leader cuts delays short")
  void newConnectionEndsTheDelayAfterARefusal() {
    fixture.resourceManager.verdict = RegistrationStatus.REFUSED;
    fixture.registered();
    fixture.resourceManager.verdict = RegistrationStatus.ACCEPTED;
    fixture.leaders.loseLeader(ComponentNames.RESOURCE_MANAGER);
    fixture.env.settle();

    fixture.leadResourceManager(fixture.resourceManager);
    fixture.env.settle();

    assertThat(fixture.resourceManager.reports).hasSize(1);
    fixture.env.advance(Duration.ofSeconds(31));
    assertThat(fixture.resourceManager.registrations).hasSize(2);
  }

  @Test
  @Behaviour(
      "F2: the registration time-out starts at process start and at each loss or change of the"
          + " ResourceManager")
  @Behaviour(
      "F2: when the registration time-out expires, the process ends with a message that names the"
          + " address")
  void endsIfNoLeaderIsFoundInTimeAndNamesTheAddress() {
    fixture.executor.start();
    fixture.env.advance(TaskManagerFixture.REGISTRATION_TIMEOUT.minusMillis(1));
    assertThat(fixture.fatal).isEmpty();

    fixture.env.advance(Duration.ofMillis(1));

    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0))
        .hasMessageContaining("jm:6123")
        .hasMessageContaining("taskmanager.registration.timeout");
  }

  @Test
  @Behaviour(
      "F2: when the registration time-out expires, the process ends with a message that names the"
          + " address")
  void endsIfTheLeaderDoesNotAnswerInTimeAndNamesItsAddress() {
    fixture.resourceManager.mute = true;
    fixture.registered();
    fixture.env.advance(TaskManagerFixture.REGISTRATION_TIMEOUT);
    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0)).hasMessageContaining("jm/resourcemanager-1");
  }

  @Test
  void registrationTimeoutCanBeDisabled() {
    fixture = new TaskManagerFixture(TaskManagerFixture.registrationTimeout("0 ms"));
    fixture.executor.start();
    fixture.env.advance(Duration.ofDays(1));
    assertThat(fixture.fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "F2: the registration time-out starts at process start and at each loss or change of the"
          + " ResourceManager")
  void registrationTimeoutRestartsAfterTheLossOfTheResourceManager() {
    fixture.registered();
    fixture.advanceWithHeartbeats(TaskManagerFixture.REGISTRATION_TIMEOUT.multipliedBy(2));
    assertThat(fixture.fatal).isEmpty();

    fixture.leaders.loseLeader(ComponentNames.RESOURCE_MANAGER);
    fixture.env.advance(TaskManagerFixture.REGISTRATION_TIMEOUT.minusMillis(1));
    assertThat(fixture.fatal).isEmpty();
    fixture.env.advance(Duration.ofMillis(1));
    assertThat(fixture.fatal).hasSize(1);
  }

  @Test
  @Behaviour("F2: tasks run on while the ResourceManager is lost")
  void tasksKeepRunningUntilTheRegistrationTimeout() {
    fixture.registered();
    FakeJobMaster jobMaster = fixture.running(1, 2);

    fixture.leaders.loseLeader(ComponentNames.RESOURCE_MANAGER);
    fixture.advanceWithHeartbeats(
        TaskManagerFixture.REGISTRATION_TIMEOUT.minusSeconds(1), jobMaster);

    assertThat(fixture.host.cancelled).isEmpty();
    assertThat(jobMaster.left).isEmpty();
    fixture.env.advance(Duration.ofSeconds(1));
    assertThat(fixture.fatal).hasSize(1);
  }

  @Test
  @Behaviour(
      "F2: the registration time-out starts at process start and at each loss or change of the"
          + " ResourceManager")
  void registrationTimeoutRestartsForAnotherLeader() {
    fixture.resourceManager.mute = true;
    fixture.registered();
    fixture.env.advance(Duration.ofMinutes(4));
    FakeResourceManager next = fixture.resourceManager(2);
    next.mute = true;
    fixture.leadResourceManager(next);
    fixture.env.advance(Duration.ofMinutes(4));
    assertThat(fixture.fatal).isEmpty();
    fixture.env.advance(Duration.ofMinutes(1));
    assertThat(fixture.fatal).hasSize(1);
  }

  @Test
  void brokenLeaderRetrievalEndsTheProcess() {
    fixture.leaders.broken = true;
    fixture.executor.start();
    fixture.env.settle();
    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.executor.terminated()).isCompletedExceptionally();
  }

  @Test
  void brokenRetrievalOfAJobLeaderEndsTheProcess() {
    fixture.registered();
    fixture.leaders.broken = true;
    fixture.gateway().requestSlot(fixture.slotRequest(0, JOB, 10));
    fixture.env.settle();
    assertThat(fixture.fatal).hasSize(1);
  }

  @Test
  @Behaviour("E2: a change of the leader cancels the attempts and cuts delays short")
  void brokenConnectionIsDetectedAtOnceAndDoesNotDelayTheNextLeader() {
    fixture.registered();
    fixture.jobManager.close();
    fixture.env.settle();
    assertThat(fixture.env.journal().ofCluster())
        .filteredOn(entry -> entry.event() instanceof ResourceManagerDisconnected)
        .extracting(JournalText::of)
        .containsExactly("The ResourceManager was lost: Process jm closed its connections.");

    // An attempt at the old leader failed; the delay after it must not apply to the new one.
    Rpc elsewhere = new Rpc(fixture.env, fixture.network.join("jm2"), Duration.ofSeconds(10));
    FakeResourceManager next =
        new FakeResourceManager(elsewhere, TaskManagerFixture.token(2), fixture.blobs.address());
    next.start();
    fixture.leadResourceManager(next);
    fixture.env.settle();
    assertThat(next.reports).hasSize(1);
  }

  @Test
  void registersAgainAtAResourceManagerWithoutHeartbeats() {
    fixture.registered();
    fixture.env.advance(Duration.ofSeconds(49));
    assertThat(fixture.resourceManager.registrations).hasSize(1);
    fixture.env.advance(Duration.ofSeconds(2));
    assertThat(fixture.resourceManager.registrations).hasSize(2);
  }

  @Test
  void registersAgainWhenItsRegistrationIsEnded() {
    fixture.registered();
    fixture
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                TaskManagerFixture.token(1),
                new InstanceId(new Id128(9, 9)),
                false,
                words("an older instance")));
    fixture.env.settle();
    assertThat(fixture.resourceManager.registrations).hasSize(1);

    fixture
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                TaskManagerFixture.token(1),
                fixture.resourceManager.instance(),
                false,
                words("a test")));
    fixture.env.settle();
    assertThat(fixture.resourceManager.registrations).hasSize(2);
  }

  @Test
  @Behaviour(
      "D5: a TaskManager whose driver reports it gone is told so by its own ResourceManager and"
          + " ends")
  void endsWhenItsResourceManagerRemovesItForGood() {
    fixture.registered();
    fixture
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                TaskManagerFixture.token(2),
                fixture.resourceManager.instance(),
                true,
                words("another leader")));
    fixture
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                TaskManagerFixture.token(1),
                new InstanceId(new Id128(9, 9)),
                true,
                words("an older instance")));
    fixture.env.settle();
    assertThat(fixture.fatal).isEmpty();

    fixture
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                TaskManagerFixture.token(1),
                fixture.resourceManager.instance(),
                true,
                words("Its node is lost.")));
    fixture.env.settle();

    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0))
        .hasMessageContaining("counts worker w1 out: Its node is lost.");
    assertThat(fixture.resourceManager.registrations).hasSize(1);
  }

  @Test
  @Behaviour("E2: a TaskManager answers heartbeats with its report")
  void answersHeartbeatsWithItsSlotsAndMetrics() {
    fixture.registered();
    fixture.request(2, 10);
    WorkerReport report =
        fixture.env.answer(
            fixture
                .gateway()
                .heartbeatFromResourceManager(
                    new AskWorker(
                        TaskManagerFixture.token(1), fixture.resourceManager.instance())));
    assertThat(report.metrics()).isEqualTo(ProcessMetrics.NONE);
    assertThat(report.slots().slots().get(2).occupant())
        .contains(new Occupant(allocation(10), JOB));
  }

  @Test
  @Behaviour("E2: a change of the leader cancels the attempts and cuts delays short")
  void ignoresALateAnswerOfAFormerResourceManager() {
    fixture.resourceManager.mute = true;
    fixture.registered();
    FakeResourceManager former = fixture.resourceManager;
    FakeResourceManager current = fixture.resourceManager(2);
    fixture.leadResourceManager(current);
    fixture.env.settle();
    assertThat(current.reports).hasSize(1);

    former.answerLate();
    fixture.env.settle();

    assertThat(former.reports).isEmpty();
    assertThat(fixture.request(0, 10).granted())
        .as("still registered at the current leader")
        .isTrue();
    fixture.env.settle();
    assertThat(current.registrations).hasSize(1);
  }

  @Test
  @Behaviour("F2: tasks run on while the ResourceManager is lost")
  void newResourceManagerGetsAllocatedSlotsAndTasksKeepRunning() {
    fixture.registered();
    FakeJobMaster jobMaster = fixture.running(1, 2);

    fixture.leadResourceManager(fixture.resourceManager(2));
    fixture.env.settle();

    assertThat(fixture.host.cancelled).isEmpty();
    assertThat(jobMaster.left).isEmpty();
    assertThat(fixture.resourceManager.reports.get(0).report().slots())
        .extracting(SlotStatus::occupant)
        .startsWith(Optional.of(new Occupant(allocation(10), JOB)), Optional.empty());
  }

  @Test
  void carvedSlotsAreReportedToTheNextResourceManager() {
    fixture.registered();
    fixture.carve(new ResourceProfile(2, 50, 0, 0, 0), 10);

    fixture.leadResourceManager(fixture.resourceManager(2));
    fixture.env.settle();

    assertThat(fixture.resourceManager.reports.get(0).report().carved())
        .containsExactly(
            new CarvedSlot(new ResourceProfile(2, 50, 0, 0, 0), new Occupant(allocation(10), JOB)));
  }

  @Test
  void slotFreedWithoutResourceManagerIsFreeInTheNextReport() {
    fixture.registered();
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.leaders.loseLeader(ComponentNames.RESOURCE_MANAGER);
    fixture.env.settle();
    fixture.env.answer(fixture.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    assertThat(fixture.resourceManager.available).isEmpty();

    fixture.leadResourceManager(fixture.resourceManager(2));
    fixture.env.settle();
    assertThat(fixture.resourceManager.reports.get(0).report().slots())
        .allMatch(slot -> slot.occupant().isEmpty());
  }

  @Test
  @Behaviour("F3: a slot request of another leader or instance is refused")
  void rejectsRequestsOfAnotherLeaderOrInstanceAndNamesBoth() {
    fixture.registered();
    var request = fixture.slotRequest(0, JOB, 10);
    FakeResourceManager next = fixture.resourceManager(2);
    fixture.leadResourceManager(next);
    fixture.env.settle();

    SlotReply reply = fixture.env.answer(fixture.gateway().requestSlot(request));

    assertThat(reply.granted()).isFalse();
    assertThat(reply.registered()).isFalse();
    assertThat(text(reply.reason()))
        .contains(TaskManagerFixture.token(1).toString(), TaskManagerFixture.token(2).toString());
    var current = fixture.slotRequest(0, JOB, 10);
    InstanceId former = new InstanceId(new Id128(9, 9));
    SlotReply other =
        fixture.env.answer(
            fixture
                .gateway()
                .requestSlot(
                    new RequestSlot(
                        current.resourceManager(),
                        former,
                        current.slot(),
                        current.job(),
                        current.allocation(),
                        current.profile())));
    assertThat(other.registered()).isFalse();
    assertThat(text(other.reason())).contains(former.toString());
    assertThat(fixture.occupant(0)).isEmpty();
  }

  @Test
  void stopNotifiesAllPeersAndCancelsTasks() {
    fixture.registered();
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.executor.stop();
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(TaskManagerFixture.execution(1));
    assertThat(fixture.host.released).containsExactly(JOB);
    assertThat(fixture.resourceManager.left).hasSize(1);
    assertThat(jobMaster.left).hasSize(1);
    assertThat(fixture.executor.terminated()).isCompleted();
  }

  @Test
  void stopDoesNotWaitForeverForATask() {
    fixture.registered();
    fixture.host.obedient = false;
    fixture.running(1);
    fixture.executor.stop();
    fixture.env.settle();
    assertThat(fixture.executor.terminated()).isNotDone();
    fixture.env.advance(Duration.ofSeconds(5));
    assertThat(fixture.executor.terminated()).isCompleted();
  }

  @Test
  void abandonReportsTheReasonAndDoesNotWaitForTasks() {
    fixture.registered();
    fixture.host.obedient = false;
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.executor.abandon(words("A task has ended the process."));
    fixture.env.settle();
    assertThat(text(jobMaster.left.get(0).reason())).isEqualTo("A task has ended the process.");
    assertThat(text(fixture.resourceManager.left.get(0).reason()))
        .isEqualTo("A task has ended the process.");
    assertThat(fixture.executor.terminated()).isCompleted();
  }

  @Test
  void freedSlotIsReportedWithItsAllocation() {
    fixture.registered();
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(3, 10);
    fixture.env.answer(fixture.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    fixture.env.settle();
    assertThat(fixture.resourceManager.available)
        .containsExactly(
            new SlotAvailable(WORKER, fixture.resourceManager.instance(), allocation(10)));
  }

  @Test
  void ignoresARepeatedLeader() {
    fixture.registered();
    fixture.leaders.lead(
        ComponentNames.RESOURCE_MANAGER,
        new Leader(fixture.resourceManager.address(), fixture.resourceManager.leaderToken()));
    fixture.env.settle();
    assertThat(fixture.resourceManager.registrations).hasSize(1);
  }
}
