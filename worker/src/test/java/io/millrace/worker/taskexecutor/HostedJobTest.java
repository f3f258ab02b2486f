package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.text;
import static io.millrace.worker.Reasons.words;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.JOB;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.SLOT_TIMEOUT;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.WORKER;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.allocation;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.deployment;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.execution;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotLost;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.WorkerLeaves;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobEnded;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.reason.PeerReason.GaveUpLeader;
import io.millrace.protocol.reason.PeerReason.LeaderUnknown;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of slots between the ResourceManager and the leader of a job. */
class HostedJobTest {
  private final TaskManagerFixture fixture = new TaskManagerFixture().registered();

  static FreeSlot free(FakeJobMaster from, int allocation) {
    return new FreeSlot(JOB, from.leaderToken(), allocation(allocation), words("set by the test"));
  }

  @Test
  @Behaviour("F3: a repeated slot request is granted, a conflicting one is refused")
  void grantsRepeatedAndRefusesConflictingRequests() {
    assertThat(fixture.request(0, 10).granted()).isTrue();
    assertThat(fixture.request(0, 10).granted()).isTrue();

    JobId other = new JobId(new Id128(0, 2));
    SlotReply conflict =
        fixture.env.answer(fixture.gateway().requestSlot(fixture.slotRequest(0, other, 11)));
    assertThat(conflict.granted()).isFalse();
    assertThat(conflict.occupant()).contains(new Occupant(allocation(10), JOB));
    assertThat(fixture.leaders.isFollowed(ComponentNames.jobMaster(other))).isFalse();
  }

  @Test
  @Behaviour(
      "F4: a TaskManager registers at the leader of each job it has slots for and offers them")
  void registersAtTheLeaderAndOffersItsSlots() {
    FakeJobMaster jobMaster = fixture.leadJob(1);

    fixture.request(1, 10);

    RegisterAtJobMaster registration = jobMaster.registrations.get(0);
    assertThat(registration.worker()).isEqualTo(WORKER);
    assertThat(registration.address()).isEqualTo(fixture.executor.address());
    assertThat(registration.dataAddress()).isEqualTo("tm:7000");
    assertThat(jobMaster.offers).hasSize(1);
    SlotOffer offer = jobMaster.offers.get(0).offers().get(0);
    assertThat(offer.allocation()).isEqualTo(allocation(10));
    assertThat(offer.profile()).isEqualTo(new ResourceProfile(1, 100, 0, 0, 0));
  }

  @Test
  void carvedSlotsAreOfferedAndFreedLikeOthers() {
    ResourceProfile most = new ResourceProfile(3, 300, 0, 0, 0);
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.refused.add(allocation(10));
    assertThat(fixture.carve(most, 10).granted()).isTrue();
    assertThat(text(fixture.carve(most, 11).reason())).contains("1.0 cpu, 100 bytes heap is left");

    fixture.lead(jobMaster);

    assertThat(jobMaster.offers.get(0).offers())
        .containsExactly(new SlotOffer(allocation(10), most));
    assertThat(fixture.resourceManager.available)
        .containsExactly(
            new SlotAvailable(WORKER, fixture.resourceManager.instance(), allocation(10)));
    assertThat(fixture.carve(most, 11).granted()).isTrue();
  }

  @Test
  @Behaviour(
      "F4: a TaskManager registers at the leader of each job it has slots for and offers them")
  void offersAllAllocatedSlotsToANewLeader() {
    fixture.request(0, 10);
    fixture.request(1, 11);
    fixture.request(2, 12);

    FakeJobMaster jobMaster = fixture.leadJob(1);

    assertThat(jobMaster.offers).hasSize(1);
    assertThat(jobMaster.offers.get(0).offers())
        .extracting(SlotOffer::allocation)
        .containsExactly(allocation(10), allocation(11), allocation(12));
  }

  @Test
  void batchesSlotOffers() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    for (int i = 1; i < 4; i++) {
      fixture.gateway().requestSlot(fixture.slotRequest(i, JOB, 10 + i));
    }
    fixture.env.settle();
    assertThat(jobMaster.registrations).hasSize(1);
    assertThat(jobMaster.offers).hasSize(2);
    assertThat(jobMaster.offers.get(1).offers()).hasSize(3);
  }

  @Test
  @Behaviour("F4: accepted slots are activated; refused slots are freed and reported available")
  void acceptedSlotsDoNotExpire() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(10), jobMaster);
    assertThat(fixture.occupant(0)).isPresent();
    assertThat(jobMaster.offers).hasSize(1);
  }

  @Test
  @Behaviour("F4: accepted slots are activated; refused slots are freed and reported available")
  void refusedSlotsAreFreedAndReportedAvailable() {
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.refused.add(allocation(11));
    fixture.request(0, 10);
    fixture.request(1, 11);

    fixture.lead(jobMaster);

    assertThat(fixture.resourceManager.available)
        .containsExactly(
            new SlotAvailable(WORKER, fixture.resourceManager.instance(), allocation(11)));
    assertThat(fixture.occupant(0)).isPresent();
    assertThat(fixture.occupant(1)).isEmpty();
  }

  @Test
  @Behaviour("F3: an allocated slot that the job never takes times out")
  void slotThatIsNotAcceptedIsFreedAtItsTimeout() {
    fixture.request(0, 10);
    fixture.env.advance(SLOT_TIMEOUT.minusMillis(1));
    assertThat(fixture.resourceManager.available).isEmpty();

    fixture.env.advance(Duration.ofMillis(1));

    assertThat(fixture.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactly(allocation(10));
    assertThat(fixture.leaders.isFollowed(ComponentNames.jobMaster(JOB))).isFalse();
  }

  @Test
  @Behaviour("F4: an offer with an unknown outcome is repeated")
  void offerWithoutAnswerIsRepeated() {
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.unansweredOffers = 2;
    fixture.lead(jobMaster);
    fixture.request(0, 10);

    fixture.env.advance(Duration.ofSeconds(6));

    assertThat(jobMaster.offers).hasSize(3);
    assertThat(jobMaster.offers.get(2)).isEqualTo(jobMaster.offers.get(0));
    fixture.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), jobMaster);
    assertThat(fixture.occupant(0)).isPresent();
  }

  @Test
  @Behaviour("F4: an offer with an unknown outcome is repeated")
  void offerThatFailedIsRepeated() {
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.failingOffers = 2;
    fixture.lead(jobMaster);
    fixture.request(0, 10);

    fixture.env.advance(Duration.ofSeconds(1));

    assertThat(jobMaster.offers).hasSize(3);
    assertThat(jobMaster.registrations).hasSize(1);
    fixture.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), jobMaster);
    assertThat(fixture.occupant(0)).isPresent();
  }

  @Test
  void leaderIsNotifiedOfAnExpiredSlot() {
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.unansweredOffers = 100;
    fixture.lead(jobMaster);
    fixture.request(0, 10);
    fixture.env.advance(SLOT_TIMEOUT);
    assertThat(jobMaster.lost).extracting(SlotLost::allocation).containsExactly(allocation(10));
    assertThat(fixture.resourceManager.available).hasSize(1);
  }

  @Test
  @Behaviour(
      "E3: an offer from an unregistered TaskManager gets an error; the TaskManager registers and"
          + " offers again")
  void registersAndOffersAgainIfTheLeaderDoesNotKnowTheWorker() {
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.unknownOffers = 1;
    fixture.lead(jobMaster);
    fixture.request(0, 10);
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
    assertThat(fixture.resourceManager.available).isEmpty();
  }

  @Test
  void deploymentIntoAnOfferedSlotActivatesIt() {
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.unansweredOffers = 100;
    fixture.lead(jobMaster);
    fixture.request(0, 10);
    fixture.env.answer(
        fixture.gateway().deployTasks(deployment(jobMaster, fixture.graph(), 10, 1)));
    fixture.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), jobMaster);
    assertThat(fixture.occupant(0)).isPresent();
    assertThat(fixture.host.cancelled).isEmpty();
  }

  @Test
  void freedSlotIsAvailableOnlyAfterItsTasksEnded() {
    fixture.host.obedient = false;
    FakeJobMaster jobMaster = fixture.running(1, 2);

    fixture.env.answer(fixture.gateway().freeSlot(free(jobMaster, 10)));

    assertThat(fixture.host.cancelled).containsExactly(execution(1), execution(2));
    assertThat(fixture.resourceManager.available).isEmpty();
    fixture.host.report(execution(1), TaskState.CANCELED);
    fixture.env.settle();
    assertThat(fixture.resourceManager.available).isEmpty();
    assertThat(fixture.occupant(0)).isPresent();
    fixture.host.report(execution(2), TaskState.CANCELED);
    fixture.env.settle();
    assertThat(fixture.resourceManager.available).hasSize(1);
    assertThat(fixture.occupant(0)).isEmpty();
  }

  @Test
  void freeingAnUnknownSlotIsAcknowledged() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.env.answer(fixture.gateway().freeSlot(free(jobMaster, 99)));
    assertThat(fixture.occupant(0)).isPresent();
  }

  @Test
  void rejectsMessagesOfAnotherLeaderAndNamesBothTokens() {
    FakeJobMaster first = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.leadJob(2);

    String failure = fixture.failureOf(fixture.gateway().freeSlot(free(first, 10)));

    assertThat(failure)
        .contains(TaskManagerFixture.token(1).toString(), TaskManagerFixture.token(2).toString());
    assertThat(fixture.occupant(0)).isPresent();
    assertThat(
            fixture.failureOf(
                fixture.gateway().deployTasks(deployment(first, fixture.graph(), 10, 1))))
        .contains(TaskManagerFixture.token(1).toString(), TaskManagerFixture.token(2).toString());
    assertThat(fixture.host.deployments).isEmpty();
  }

  @Test
  @Behaviour(
      "F4: a TaskManager registers at the leader of each job it has slots for and offers them")
  @Behaviour(
      "F5: after the loss of the JobMaster its tasks end and its slots go to the next leader, or"
          + " are freed after the time-out")
  void lossOfTheLeaderCancelsItsTasksAndOffersItsSlotsToTheNext() {
    FakeJobMaster first = fixture.running(1);

    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.settle();

    assertThat(fixture.host.cancelled).containsExactly(execution(1));
    assertThat(first.allUpdates()).isEmpty();
    fixture.env.advance(SLOT_TIMEOUT.minusMillis(1));
    assertThat(fixture.occupant(0)).isPresent();

    FakeJobMaster second = fixture.leadJob(2);
    assertThat(second.offers.get(0).offers())
        .extracting(SlotOffer::allocation)
        .containsExactly(allocation(10));
    assertThat(second.updates).isEmpty();
    fixture.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), second);
    assertThat(fixture.occupant(0)).isPresent();
    assertThat(fixture.resourceManager.available).isEmpty();
  }

  @Test
  @Behaviour(
      "F5: after the loss of the JobMaster its tasks end and its slots go to the next leader, or"
          + " are freed after the time-out")
  void slotsOfALostLeaderAreFreedAtTheirTimeout() {
    fixture.running(1);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.advance(SLOT_TIMEOUT);
    fixture.env.settle();
    assertThat(fixture.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactly(allocation(10));
    assertThat(fixture.host.released).containsExactly(JOB);
  }

  @Test
  void offersASlotToTheNextLeaderAfterItsTasksHaveEnded() {
    fixture.host.obedient = false;
    fixture.running(1);
    FakeJobMaster second = fixture.leadJob(2);
    assertThat(second.registrations).hasSize(1);
    assertThat(second.offers).isEmpty();

    fixture.host.report(execution(1), TaskState.CANCELED);
    fixture.env.settle();

    assertThat(second.offers).hasSize(1);
    assertThat(second.updates).isEmpty();
  }

  @Test
  @Behaviour("E4: no task is deployed into a slot while tasks of an earlier session end there")
  void notifiesTheSameLeaderOfTheLossBeforeItRegistersAgain() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.settle();
    // The leader may have a successor, so it is not notified yet.
    assertThat(jobMaster.left).isEmpty();
    fixture.lead(jobMaster);
    assertThat(jobMaster.left)
        .extracting(WorkerLeaves::reason)
        .containsExactly(new GaveUpLeader(new LeaderUnknown()));
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
  }

  @Test
  @Behaviour("E4: no task is deployed into a slot while tasks of an earlier session end there")
  void rejectsADeploymentIntoASlotWithTasksOfAnEarlierSession() {
    fixture.host.obedient = false;
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.lead(jobMaster);

    assertThat(
            fixture.failureOf(
                fixture.gateway().deployTasks(deployment(jobMaster, fixture.graph(), 10, 2))))
        .contains("Tasks of an earlier leader's session are still ending in slot");
    assertThat(fixture.host.deployments).hasSize(1);

    fixture.host.report(execution(1), TaskState.CANCELED);
    fixture.env.settle();
    fixture.env.answer(
        fixture.gateway().deployTasks(deployment(jobMaster, fixture.graph(), 10, 3)));
    assertThat(fixture.host.deployments).hasSize(2);
  }

  @Test
  void brokenConnectionToTheLeaderCancelsItsTasks() {
    Rpc elsewhere = new Rpc(fixture.env, fixture.network.join("jm2"), Duration.ofSeconds(10));
    FakeJobMaster jobMaster = fixture.jobMaster(elsewhere, 1);
    fixture.lead(jobMaster);
    fixture.request(0, 10);
    fixture.env.answer(
        fixture.gateway().deployTasks(deployment(jobMaster, fixture.graph(), 10, 1)));

    elsewhere.close();
    fixture.env.settle();

    assertThat(fixture.host.cancelled).containsExactly(execution(1));
    assertThat(fixture.occupant(0)).isPresent();
    assertThat(fixture.env.journal().of(JOB))
        .filteredOn(entry -> entry.event() instanceof JobMasterDisconnected)
        .extracting(JournalText::of)
        .containsExactly("The JobMaster was lost: Process jm2 closed its connections.");
  }

  @Test
  @Behaviour("E2: the JobMaster sends heartbeats to the TaskManager and gives up a silent one")
  void registersAgainAtALeaderWithoutHeartbeats() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.advanceWithHeartbeats(Duration.ofSeconds(40));
    assertThat(fixture.host.cancelled).isEmpty();

    fixture.advanceWithHeartbeats(Duration.ofSeconds(15));

    assertThat(fixture.host.cancelled).containsExactly(execution(1));
    assertThat(jobMaster.left).hasSize(1);
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
  }

  @Test
  void registersAgainAtALeaderThatEndsTheRegistration() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, jobMaster.leaderToken(), false, words("a test")));
    fixture.env.settle();
    assertThat(fixture.host.cancelled).containsExactly(execution(1));
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
    assertThat(fixture.occupant(0)).isPresent();
  }

  @Test
  void endedJobIsRemovedAtOnce() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.request(1, 11);
    fixture
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, jobMaster.leaderToken(), true, words("finished")));
    fixture.env.settle();

    assertThat(fixture.host.cancelled).containsExactly(execution(1));
    assertThat(fixture.host.released).containsExactly(JOB);
    assertThat(fixture.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactlyInAnyOrder(allocation(10), allocation(11));
    assertThat(fixture.leaders.isFollowed(ComponentNames.jobMaster(JOB))).isFalse();
  }

  @Test
  void jobIsRemovedWhenTheResourceManagerReportsItsEnd() {
    fixture.request(0, 10);
    fixture
        .gateway()
        .jobEnded(
            new JobEnded(
                fixture.resourceManager.leaderToken(), new InstanceId(new Id128(0, 0)), JOB));
    fixture.env.settle();
    assertThat(fixture.resourceManager.available).isEmpty();

    fixture
        .gateway()
        .jobEnded(
            new JobEnded(
                fixture.resourceManager.leaderToken(), fixture.resourceManager.instance(), JOB));
    fixture.env.settle();
    assertThat(fixture.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactly(allocation(10));
    assertThat(fixture.leaders.isFollowed(ComponentNames.jobMaster(JOB))).isFalse();
  }

  @Test
  void acceptsTheEndOfAJobAfterTheLossOfItsLeader() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.settle();
    fixture
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, jobMaster.leaderToken(), true, words("finished")));
    fixture.env.settle();
    assertThat(fixture.resourceManager.available).hasSize(1);
  }

  @Test
  void formerLeaderCannotEndTheJob() {
    FakeJobMaster first = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.leadJob(2);
    fixture
        .gateway()
        .disconnectJobMaster(new JobMasterDrops(JOB, first.leaderToken(), true, words("finished")));
    fixture.env.settle();
    assertThat(fixture.occupant(0)).isPresent();
  }

  @Test
  void notifiesTheLeaderWhenItsLastSlotIsFreed() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.env.answer(fixture.gateway().freeSlot(free(jobMaster, 10)));
    fixture.env.settle();
    assertThat(jobMaster.left).hasSize(1);
    assertThat(fixture.failureOf(fixture.gateway().freeSlot(free(jobMaster, 10))))
        .contains("has no slot of job");
  }

  @Test
  void jobWithNewSlotsIsRegisteredAgain() {
    FakeJobMaster jobMaster = fixture.leadJob(1);
    fixture.request(0, 10);
    fixture.env.answer(fixture.gateway().freeSlot(free(jobMaster, 10)));
    fixture.request(0, 11);
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
  }

  @Test
  void slotsOfALeaderThatRejectsTheWorkerExpire() {
    FakeJobMaster jobMaster = fixture.jobMaster(1);
    jobMaster.verdict = RegistrationStatus.REJECTED;
    fixture.lead(jobMaster);
    fixture.request(0, 10);
    fixture.env.advance(SLOT_TIMEOUT);
    assertThat(jobMaster.registrations).hasSize(1);
    assertThat(jobMaster.offers).isEmpty();
    assertThat(fixture.resourceManager.available).hasSize(1);
  }

  @Test
  void expiredSlotIsFreedAfterItsTasksHaveEnded() {
    fixture.host.obedient = false;
    fixture.running(1);
    fixture.leaders.loseLeader(ComponentNames.jobMaster(JOB));
    fixture.env.advance(SLOT_TIMEOUT.multipliedBy(2));
    assertThat(fixture.resourceManager.available).isEmpty();

    fixture.host.report(execution(1), TaskState.CANCELED);
    fixture.env.settle();
    assertThat(fixture.resourceManager.available).hasSize(1);
  }
}
