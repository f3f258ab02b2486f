package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.text;
import static io.millrace.worker.Reasons.words;
import static io.millrace.worker.taskexecutor.World.JOB;
import static io.millrace.worker.taskexecutor.World.WORKER;
import static io.millrace.worker.taskexecutor.World.allocation;
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

/** The TaskManager towards the ResourceManager. */
class TaskExecutorResourceManagerConnectionTest {
  private World world = new World();

  @Test
  @Behaviour(
      "D3: a registration carries address, worker id, data port, hardware, default slot and total"
          + " profile")
  @Behaviour(
      "F2: a TaskManager finds the ResourceManager leader, registers and sends its slot report")
  void registersWithTheLeaderAndReportsItsSlots() {
    world.registered();

    RegisterTaskManager registration = world.resourceManager.registrations.get(0);
    assertThat(registration.worker()).isEqualTo(WORKER);
    assertThat(registration.address()).isEqualTo(world.executor.address());
    assertThat(registration.dataAddress()).isEqualTo("tm:7000");
    assertThat(registration.hardware()).isEqualTo(new Hardware(4, 1000, 800, 0));
    assertThat(registration.slot().taskHeap()).isEqualTo(100);
    assertThat(registration.total().taskHeap()).isEqualTo(400);
    assertThat(world.resourceManager.reports).hasSize(1);
    assertThat(world.resourceManager.reports.get(0).instance())
        .isEqualTo(world.resourceManager.instance());
    assertThat(world.resourceManager.reports.get(0).report().slots())
        .hasSize(4)
        .allMatch(slot -> slot.occupant().isEmpty());
  }

  @Test
  @Behaviour(
      "E2: a process that starts before its JobManager registers as soon as the JobManager is up")
  void workerThatStartsFirstRegistersAsSoonAsThereIsALeader() {
    world.executor.start();
    world.env.advance(Duration.ofSeconds(20));
    world.leadResourceManager(world.resourceManager);
    world.env.settle();
    assertThat(world.resourceManager.reports).hasSize(1);
  }

  @Test
  void unansweredAttemptsAreRepeatedWithGrowingNumbersAndTimes() {
    world.resourceManager.mute = true;
    world.registered();
    world.env.advance(Duration.ofMillis(100 + 200 + 400));

    assertThat(world.resourceManager.registrations).hasSize(4);
    assertThat(world.resourceManager.registrations)
        .extracting(RegisterTaskManager::attempt)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  @Behaviour(
      "D4: a report under an outdated registration is refused, and the TaskManager registers anew")
  void refusedReportLeadsToAnotherRegistration() {
    world.resourceManager.failingReports = 1;
    world.registered();
    assertThat(world.resourceManager.registrations).hasSize(1);
    assertThat(world.resourceManager.reports).isEmpty();

    world.env.advance(Duration.ofSeconds(10));

    assertThat(world.resourceManager.registrations).hasSize(2);
    assertThat(world.resourceManager.reports).hasSize(1);
  }

  @Test
  @Behaviour("D3: a TaskManager unknown to the driver is rejected for good, and its process ends")
  void rejectionForGoodEndsTheProcess() {
    world.resourceManager.verdict = RegistrationStatus.REJECTED;
    world.registered();

    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0))
        .hasMessageContaining("rejected worker w1")
        .hasMessageContaining("because the test says so");
  }

  @Test
  @Behaviour("D3: a TaskManager that cannot be reached back is declined and retries")
  void refusalIsTriedAgainLater() {
    world.resourceManager.verdict = RegistrationStatus.REFUSED;
    world.registered();
    world.resourceManager.verdict = RegistrationStatus.ACCEPTED;
    world.env.advance(Duration.ofSeconds(30));
    assertThat(world.resourceManager.reports).hasSize(1);
    assertThat(world.fatal).isEmpty();
  }

  @Test
  @Behaviour("E2: a new connection to the same leader cuts delays short")
  void refusalIsNotWaitedOutOnANewConnection() {
    world.resourceManager.verdict = RegistrationStatus.REFUSED;
    world.registered();
    world.resourceManager.verdict = RegistrationStatus.ACCEPTED;
    world.leaders.nobodyLeads(ComponentNames.RESOURCE_MANAGER);
    world.env.settle();

    world.leadResourceManager(world.resourceManager);
    world.env.settle();

    assertThat(world.resourceManager.reports).hasSize(1);
    world.env.advance(Duration.ofSeconds(31));
    assertThat(world.resourceManager.registrations).hasSize(2);
  }

  @Test
  @Behaviour(
      "F2: the registration time-out starts at process start and at each loss or change of the"
          + " ResourceManager")
  @Behaviour(
      "F2: when the registration time-out expires, the process ends with a message that names the"
          + " address")
  void endsWhenNoLeaderIsFoundInTimeNamingTheAddressItTried() {
    world.executor.start();
    world.env.advance(World.REGISTRATION_TIMEOUT.minusMillis(1));
    assertThat(world.fatal).isEmpty();

    world.env.advance(Duration.ofMillis(1));

    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0))
        .hasMessageContaining("jm:6123")
        .hasMessageContaining("taskmanager.registration.timeout");
  }

  @Test
  @Behaviour(
      "F2: when the registration time-out expires, the process ends with a message that names the"
          + " address")
  void endsWhenTheLeaderDoesNotAnswerInTimeNamingItsAddress() {
    world.resourceManager.mute = true;
    world.registered();
    world.env.advance(World.REGISTRATION_TIMEOUT);
    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0)).hasMessageContaining("jm/resourcemanager-1");
  }

  @Test
  void registrationTimeOutCanBeSwitchedOff() {
    world = new World(World.registrationTimeout("0 ms"));
    world.executor.start();
    world.env.advance(Duration.ofDays(1));
    assertThat(world.fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "F2: the registration time-out starts at process start and at each loss or change of the"
          + " ResourceManager")
  void registrationTimeOutStartsAnewWhenTheResourceManagerIsLost() {
    world.registered();
    world.advanceWithHeartbeats(World.REGISTRATION_TIMEOUT.multipliedBy(2));
    assertThat(world.fatal).isEmpty();

    world.leaders.nobodyLeads(ComponentNames.RESOURCE_MANAGER);
    world.env.advance(World.REGISTRATION_TIMEOUT.minusMillis(1));
    assertThat(world.fatal).isEmpty();
    world.env.advance(Duration.ofMillis(1));
    assertThat(world.fatal).hasSize(1);
  }

  @Test
  @Behaviour("F2: tasks run on while the ResourceManager is lost")
  void tasksRunOnUntilTheRegistrationTimeOut() {
    world.registered();
    FakeJobMaster jobMaster = world.running(1, 2);

    world.leaders.nobodyLeads(ComponentNames.RESOURCE_MANAGER);
    world.advanceWithHeartbeats(World.REGISTRATION_TIMEOUT.minusSeconds(1), jobMaster);

    assertThat(world.host.cancelled).isEmpty();
    assertThat(jobMaster.left).isEmpty();
    world.env.advance(Duration.ofSeconds(1));
    assertThat(world.fatal).hasSize(1);
  }

  @Test
  @Behaviour(
      "F2: the registration time-out starts at process start and at each loss or change of the"
          + " ResourceManager")
  void registrationTimeOutStartsAnewForAnotherLeader() {
    world.resourceManager.mute = true;
    world.registered();
    world.env.advance(Duration.ofMinutes(4));
    FakeResourceManager next = world.resourceManager(2);
    next.mute = true;
    world.leadResourceManager(next);
    world.env.advance(Duration.ofMinutes(4));
    assertThat(world.fatal).isEmpty();
    world.env.advance(Duration.ofMinutes(1));
    assertThat(world.fatal).hasSize(1);
  }

  @Test
  void brokenLeaderRetrievalEndsTheProcess() {
    world.leaders.broken = true;
    world.executor.start();
    world.env.settle();
    assertThat(world.fatal).hasSize(1);
    assertThat(world.executor.terminated()).isCompletedExceptionally();
  }

  @Test
  void brokenRetrievalOfAJobLeaderEndsTheProcess() {
    world.registered();
    world.leaders.broken = true;
    world.gateway().requestSlot(world.slotRequest(0, JOB, 10));
    world.env.settle();
    assertThat(world.fatal).hasSize(1);
  }

  @Test
  @Behaviour("E2: a change of the leader cancels the attempts and cuts delays short")
  void brokenConnectionIsNoticedAtOnceAndTheNextLeaderIsNotKeptWaiting() {
    world.registered();
    world.jobManager.close();
    world.env.settle();
    assertThat(world.env.journal().ofCluster())
        .filteredOn(entry -> entry.event() instanceof ResourceManagerDisconnected)
        .extracting(JournalText::of)
        .containsExactly("The ResourceManager was lost: Process jm closed its connections.");

    // The old one was tried again and failed; the pause after that must not delay the new one.
    Rpc elsewhere = new Rpc(world.env, world.network.join("jm2"), Duration.ofSeconds(10));
    FakeResourceManager next =
        new FakeResourceManager(elsewhere, World.token(2), world.blobs.address());
    next.start();
    world.leadResourceManager(next);
    world.env.settle();
    assertThat(next.reports).hasSize(1);
  }

  @Test
  void silentResourceManagerIsLostAndRegisteredAtAgain() {
    world.registered();
    world.env.advance(Duration.ofSeconds(49));
    assertThat(world.resourceManager.registrations).hasSize(1);
    world.env.advance(Duration.ofSeconds(2));
    assertThat(world.resourceManager.registrations).hasSize(2);
  }

  @Test
  void registersAgainWhenDropped() {
    world.registered();
    world
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                World.token(1),
                new InstanceId(new Id128(9, 9)),
                false,
                words("an older instance")));
    world.env.settle();
    assertThat(world.resourceManager.registrations).hasSize(1);

    world
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                World.token(1), world.resourceManager.instance(), false, words("a test")));
    world.env.settle();
    assertThat(world.resourceManager.registrations).hasSize(2);
  }

  @Test
  @Behaviour(
      "D5: a TaskManager whose driver reports it gone is told so by its own ResourceManager and"
          + " ends")
  void endsAtOnceWhenItsOwnResourceManagerCountsItOut() {
    world.registered();
    world
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                World.token(2), world.resourceManager.instance(), true, words("another leader")));
    world
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                World.token(1), new InstanceId(new Id128(9, 9)), true, words("an older instance")));
    world.env.settle();
    assertThat(world.fatal).isEmpty();

    world
        .gateway()
        .disconnectResourceManager(
            new ResourceManagerDrops(
                World.token(1),
                world.resourceManager.instance(),
                true,
                words("Its node is lost.")));
    world.env.settle();

    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0)).hasMessageContaining("counts worker w1 out: Its node is lost.");
    assertThat(world.resourceManager.registrations).hasSize(1);
  }

  @Test
  @Behaviour("E2: a TaskManager answers heartbeats with its report")
  void answersHeartbeatsWithItsSlotsAndMetrics() {
    world.registered();
    world.request(2, 10);
    WorkerReport report =
        world.env.answer(
            world
                .gateway()
                .heartbeatFromResourceManager(
                    new AskWorker(World.token(1), world.resourceManager.instance())));
    assertThat(report.metrics()).isEqualTo(ProcessMetrics.NONE);
    assertThat(report.slots().slots().get(2).occupant())
        .contains(new Occupant(allocation(10), JOB));
  }

  @Test
  @Behaviour("E2: a change of the leader cancels the attempts and cuts delays short")
  void lateAnswerOfAFormerResourceManagerChangesNothing() {
    world.resourceManager.mute = true;
    world.registered();
    FakeResourceManager former = world.resourceManager;
    FakeResourceManager present = world.resourceManager(2);
    world.leadResourceManager(present);
    world.env.settle();
    assertThat(present.reports).hasSize(1);

    former.answerLate();
    world.env.settle();

    assertThat(former.reports).isEmpty();
    assertThat(world.request(0, 10).granted()).as("still registered at the present one").isTrue();
    world.env.settle();
    assertThat(present.registrations).hasSize(1);
  }

  @Test
  @Behaviour("F2: tasks run on while the ResourceManager is lost")
  void changeOfResourceManagerLeavesTasksRunningAndReportsAllocatedSlots() {
    world.registered();
    FakeJobMaster jobMaster = world.running(1, 2);

    world.leadResourceManager(world.resourceManager(2));
    world.env.settle();

    assertThat(world.host.cancelled).isEmpty();
    assertThat(jobMaster.left).isEmpty();
    assertThat(world.resourceManager.reports.get(0).report().slots())
        .extracting(SlotStatus::occupant)
        .startsWith(Optional.of(new Occupant(allocation(10), JOB)), Optional.empty());
  }

  @Test
  void carvedSlotsAreReportedToTheNextResourceManager() {
    world.registered();
    world.carve(new ResourceProfile(2, 50, 0, 0, 0), 10);

    world.leadResourceManager(world.resourceManager(2));
    world.env.settle();

    assertThat(world.resourceManager.reports.get(0).report().carved())
        .containsExactly(
            new CarvedSlot(new ResourceProfile(2, 50, 0, 0, 0), new Occupant(allocation(10), JOB)));
  }

  @Test
  void slotFreedWithoutResourceManagerIsFreeInTheNextReport() {
    world.registered();
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    world.leaders.nobodyLeads(ComponentNames.RESOURCE_MANAGER);
    world.env.settle();
    world.env.answer(world.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    assertThat(world.resourceManager.available).isEmpty();

    world.leadResourceManager(world.resourceManager(2));
    world.env.settle();
    assertThat(world.resourceManager.reports.get(0).report().slots())
        .allMatch(slot -> slot.occupant().isEmpty());
  }

  @Test
  @Behaviour("F3: a slot request of another leader or instance is refused")
  void requestsOfAnotherLeaderOrInstanceAreRefusedNamingBothTokens() {
    world.registered();
    var request = world.slotRequest(0, JOB, 10);
    FakeResourceManager next = world.resourceManager(2);
    world.leadResourceManager(next);
    world.env.settle();

    SlotReply reply = world.env.answer(world.gateway().requestSlot(request));

    assertThat(reply.granted()).isFalse();
    assertThat(reply.registered()).isFalse();
    assertThat(text(reply.reason())).contains(World.token(1).toString(), World.token(2).toString());
    var current = world.slotRequest(0, JOB, 10);
    InstanceId former = new InstanceId(new Id128(9, 9));
    SlotReply other =
        world.env.answer(
            world
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
    assertThat(world.occupant(0)).isEmpty();
  }

  @Test
  void stopTellsEverybodyAndCancelsTasks() {
    world.registered();
    FakeJobMaster jobMaster = world.running(1);
    world.executor.stop();
    world.env.settle();
    assertThat(world.host.cancelled).containsExactly(World.execution(1));
    assertThat(world.host.released).containsExactly(JOB);
    assertThat(world.resourceManager.left).hasSize(1);
    assertThat(jobMaster.left).hasSize(1);
    assertThat(world.executor.terminated()).isCompleted();
  }

  @Test
  void stopDoesNotWaitForeverForATask() {
    world.registered();
    world.host.obedient = false;
    world.running(1);
    world.executor.stop();
    world.env.settle();
    assertThat(world.executor.terminated()).isNotDone();
    world.env.advance(Duration.ofSeconds(5));
    assertThat(world.executor.terminated()).isCompleted();
  }

  @Test
  void processThatEndsInATaskSaysWhyAndDoesNotWaitForIt() {
    world.registered();
    world.host.obedient = false;
    FakeJobMaster jobMaster = world.running(1);
    world.executor.abandon(words("A task has ended the process."));
    world.env.settle();
    assertThat(text(jobMaster.left.get(0).reason())).isEqualTo("A task has ended the process.");
    assertThat(text(world.resourceManager.left.get(0).reason()))
        .isEqualTo("A task has ended the process.");
    assertThat(world.executor.terminated()).isCompleted();
  }

  @Test
  void freedSlotIsReportedWithItsAllocation() {
    world.registered();
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(3, 10);
    world.env.answer(world.gateway().freeSlot(HostedJobTest.free(jobMaster, 10)));
    world.env.settle();
    assertThat(world.resourceManager.available)
        .containsExactly(
            new SlotAvailable(WORKER, world.resourceManager.instance(), allocation(10)));
  }

  @Test
  void sameLeaderToldTwiceChangesNothing() {
    world.registered();
    world.leaders.lead(
        ComponentNames.RESOURCE_MANAGER,
        new Leader(world.resourceManager.address(), world.resourceManager.leaderToken()));
    world.env.settle();
    assertThat(world.resourceManager.registrations).hasSize(1);
  }
}
