package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.text;
import static io.millrace.worker.Reasons.words;
import static io.millrace.worker.taskexecutor.World.JOB;
import static io.millrace.worker.taskexecutor.World.SLOT_TIMEOUT;
import static io.millrace.worker.taskexecutor.World.WORKER;
import static io.millrace.worker.taskexecutor.World.allocation;
import static io.millrace.worker.taskexecutor.World.deployment;
import static io.millrace.worker.taskexecutor.World.execution;
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

/** Slots between the ResourceManager and a job's leader. */
class HostedJobTest {
  private final World world = new World().registered();

  static FreeSlot free(FakeJobMaster from, int allocation) {
    return new FreeSlot(JOB, from.leaderToken(), allocation(allocation), words("the test says so"));
  }

  @Test
  @Behaviour("F3: a repeated slot request is granted, a conflicting one is refused")
  void sameRequestAgainIsFineAndAConflictingOneIsRefused() {
    assertThat(world.request(0, 10).granted()).isTrue();
    assertThat(world.request(0, 10).granted()).isTrue();

    JobId other = new JobId(new Id128(0, 2));
    SlotReply conflict =
        world.env.answer(world.gateway().requestSlot(world.slotRequest(0, other, 11)));
    assertThat(conflict.granted()).isFalse();
    assertThat(conflict.occupant()).contains(new Occupant(allocation(10), JOB));
    assertThat(world.leaders.isFollowed(ComponentNames.jobMaster(other))).isFalse();
  }

  @Test
  @Behaviour(
      "F4: a TaskManager registers at the leader of each job it has slots for and offers them")
  void registersAtTheJobsLeaderAndOffersItsSlots() {
    FakeJobMaster jobMaster = world.leadJob(1);

    world.request(1, 10);

    RegisterAtJobMaster registration = jobMaster.registrations.get(0);
    assertThat(registration.worker()).isEqualTo(WORKER);
    assertThat(registration.address()).isEqualTo(world.executor.address());
    assertThat(registration.dataAddress()).isEqualTo("tm:7000");
    assertThat(jobMaster.offers).hasSize(1);
    SlotOffer offer = jobMaster.offers.get(0).offers().get(0);
    assertThat(offer.allocation()).isEqualTo(allocation(10));
    assertThat(offer.profile()).isEqualTo(new ResourceProfile(1, 100, 0, 0, 0));
  }

  @Test
  void carvedSlotsAreOfferedUsedFreedAndReportedLikeOthers() {
    ResourceProfile most = new ResourceProfile(3, 300, 0, 0, 0);
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.unwanted.add(allocation(10));
    assertThat(world.carve(most, 10).granted()).isTrue();
    assertThat(text(world.carve(most, 11).reason())).contains("1.0 cpu, 100 bytes heap is left");

    world.lead(jobMaster);

    assertThat(jobMaster.offers.get(0).offers())
        .containsExactly(new SlotOffer(allocation(10), most));
    assertThat(world.resourceManager.available)
        .containsExactly(
            new SlotAvailable(WORKER, world.resourceManager.instance(), allocation(10)));
    assertThat(world.carve(most, 11).granted()).isTrue();
  }

  @Test
  @Behaviour(
      "F4: a TaskManager registers at the leader of each job it has slots for and offers them")
  void offersAllWaitingSlotsAtOnceWhenALeaderComes() {
    world.request(0, 10);
    world.request(1, 11);
    world.request(2, 12);

    FakeJobMaster jobMaster = world.leadJob(1);

    assertThat(jobMaster.offers).hasSize(1);
    assertThat(jobMaster.offers.get(0).offers())
        .extracting(SlotOffer::allocation)
        .containsExactly(allocation(10), allocation(11), allocation(12));
  }

  @Test
  void slotsThatComeTogetherAreOfferedTogether() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    for (int i = 1; i < 4; i++) {
      world.gateway().requestSlot(world.slotRequest(i, JOB, 10 + i));
    }
    world.env.settle();
    assertThat(jobMaster.registrations).hasSize(1);
    assertThat(jobMaster.offers).hasSize(2);
    assertThat(jobMaster.offers.get(1).offers()).hasSize(3);
  }

  @Test
  @Behaviour("F4: accepted slots are activated; refused slots are freed and reported available")
  void takenSlotsDoNotExpire() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    world.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(10), jobMaster);
    assertThat(world.occupant(0)).isPresent();
    assertThat(jobMaster.offers).hasSize(1);
  }

  @Test
  @Behaviour("F4: accepted slots are activated; refused slots are freed and reported available")
  void refusedSlotsAreFreedAndReportedAvailable() {
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.unwanted.add(allocation(11));
    world.request(0, 10);
    world.request(1, 11);

    world.lead(jobMaster);

    assertThat(world.resourceManager.available)
        .containsExactly(
            new SlotAvailable(WORKER, world.resourceManager.instance(), allocation(11)));
    assertThat(world.occupant(0)).isPresent();
    assertThat(world.occupant(1)).isEmpty();
  }

  @Test
  @Behaviour("F3: an allocated slot that the job never takes times out")
  void slotNobodyTakesIsFreedInTime() {
    world.request(0, 10);
    world.env.advance(SLOT_TIMEOUT.minusMillis(1));
    assertThat(world.resourceManager.available).isEmpty();

    world.env.advance(Duration.ofMillis(1));

    assertThat(world.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactly(allocation(10));
    assertThat(world.leaders.isFollowed(ComponentNames.jobMaster(JOB))).isFalse();
  }

  @Test
  @Behaviour("F4: an offer with an unknown outcome is repeated")
  void offerWithoutAnswerIsRepeated() {
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.unansweredOffers = 2;
    world.lead(jobMaster);
    world.request(0, 10);

    world.env.advance(Duration.ofSeconds(6));

    assertThat(jobMaster.offers).hasSize(3);
    assertThat(jobMaster.offers.get(2)).isEqualTo(jobMaster.offers.get(0));
    world.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), jobMaster);
    assertThat(world.occupant(0)).isPresent();
  }

  @Test
  @Behaviour("F4: an offer with an unknown outcome is repeated")
  void offerThatFailedIsRepeated() {
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.failingOffers = 2;
    world.lead(jobMaster);
    world.request(0, 10);

    world.env.advance(Duration.ofSeconds(1));

    assertThat(jobMaster.offers).hasSize(3);
    assertThat(jobMaster.registrations).hasSize(1);
    world.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), jobMaster);
    assertThat(world.occupant(0)).isPresent();
  }

  @Test
  void leaderHearsOfAnOfferedSlotThatExpired() {
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.unansweredOffers = 100;
    world.lead(jobMaster);
    world.request(0, 10);
    world.env.advance(SLOT_TIMEOUT);
    assertThat(jobMaster.lost).extracting(SlotLost::allocation).containsExactly(allocation(10));
    assertThat(world.resourceManager.available).hasSize(1);
  }

  @Test
  @Behaviour(
      "E3: an offer from an unregistered TaskManager gets an error; the TaskManager registers and"
          + " offers again")
  void registersAnewAndOffersAgainWhenTheLeaderDoesNotKnowIt() {
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.unknownOffers = 1;
    world.lead(jobMaster);
    world.request(0, 10);
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
    assertThat(world.resourceManager.available).isEmpty();
  }

  @Test
  void deploymentIntoAnOfferedSlotCountsAsTakingIt() {
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.unansweredOffers = 100;
    world.lead(jobMaster);
    world.request(0, 10);
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, world.graph(), 10, 1)));
    world.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), jobMaster);
    assertThat(world.occupant(0)).isPresent();
    assertThat(world.host.cancelled).isEmpty();
  }

  @Test
  void freedSlotIsAvailableOnlyAfterItsTasksEnded() {
    world.host.obedient = false;
    FakeJobMaster jobMaster = world.running(1, 2);

    world.env.answer(world.gateway().freeSlot(free(jobMaster, 10)));

    assertThat(world.host.cancelled).containsExactly(execution(1), execution(2));
    assertThat(world.resourceManager.available).isEmpty();
    world.host.report(execution(1), TaskState.CANCELED);
    world.env.settle();
    assertThat(world.resourceManager.available).isEmpty();
    assertThat(world.occupant(0)).isPresent();
    world.host.report(execution(2), TaskState.CANCELED);
    world.env.settle();
    assertThat(world.resourceManager.available).hasSize(1);
    assertThat(world.occupant(0)).isEmpty();
  }

  @Test
  void freeingAnUnknownSlotIsAcknowledged() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    world.env.answer(world.gateway().freeSlot(free(jobMaster, 99)));
    assertThat(world.occupant(0)).isPresent();
  }

  @Test
  void messagesOfAnotherLeaderAreRefusedNamingBothTokens() {
    FakeJobMaster first = world.leadJob(1);
    world.request(0, 10);
    world.leadJob(2);

    String failure = world.failureOf(world.gateway().freeSlot(free(first, 10)));

    assertThat(failure).contains(World.token(1).toString(), World.token(2).toString());
    assertThat(world.occupant(0)).isPresent();
    assertThat(
            world.failureOf(world.gateway().deployTasks(deployment(first, world.graph(), 10, 1))))
        .contains(World.token(1).toString(), World.token(2).toString());
    assertThat(world.host.deployments).isEmpty();
  }

  @Test
  @Behaviour(
      "F4: a TaskManager registers at the leader of each job it has slots for and offers them")
  @Behaviour(
      "F5: after the loss of the JobMaster its tasks end and its slots go to the next leader, or"
          + " are freed after the time-out")
  void lostLeaderEndsItsTasksAndItsSlotsGoToTheNext() {
    FakeJobMaster first = world.running(1);

    world.leaders.nobodyLeads(ComponentNames.jobMaster(JOB));
    world.env.settle();

    assertThat(world.host.cancelled).containsExactly(execution(1));
    assertThat(first.allUpdates()).isEmpty();
    world.env.advance(SLOT_TIMEOUT.minusMillis(1));
    assertThat(world.occupant(0)).isPresent();

    FakeJobMaster second = world.leadJob(2);
    assertThat(second.offers.get(0).offers())
        .extracting(SlotOffer::allocation)
        .containsExactly(allocation(10));
    assertThat(second.updates).isEmpty();
    world.advanceWithHeartbeats(SLOT_TIMEOUT.multipliedBy(2), second);
    assertThat(world.occupant(0)).isPresent();
    assertThat(world.resourceManager.available).isEmpty();
  }

  @Test
  @Behaviour(
      "F5: after the loss of the JobMaster its tasks end and its slots go to the next leader, or"
          + " are freed after the time-out")
  void slotsOfALostLeaderAreFreedWhenNoneTakesThemInTime() {
    world.running(1);
    world.leaders.nobodyLeads(ComponentNames.jobMaster(JOB));
    world.env.advance(SLOT_TIMEOUT);
    world.env.settle();
    assertThat(world.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactly(allocation(10));
    assertThat(world.host.released).containsExactly(JOB);
  }

  @Test
  void nextLeaderGetsASlotOnlyAfterTheFormerOnesTaskEnded() {
    world.host.obedient = false;
    world.running(1);
    FakeJobMaster second = world.leadJob(2);
    assertThat(second.registrations).hasSize(1);
    assertThat(second.offers).isEmpty();

    world.host.report(execution(1), TaskState.CANCELED);
    world.env.settle();

    assertThat(second.offers).hasSize(1);
    assertThat(second.updates).isEmpty();
  }

  @Test
  @Behaviour("E4: no task is deployed into a slot while tasks of an earlier session end there")
  void leaderThatIsOutOfSightHearsThatItsTasksEndBeforeItIsRegisteredAtAgain() {
    FakeJobMaster jobMaster = world.running(1);
    world.leaders.nobodyLeads(ComponentNames.jobMaster(JOB));
    world.env.settle();
    // It may have a successor soon, and is not to fail the job before that.
    assertThat(jobMaster.left).isEmpty();
    world.lead(jobMaster);
    assertThat(jobMaster.left)
        .extracting(WorkerLeaves::reason)
        .containsExactly(new GaveUpLeader(new LeaderUnknown()));
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
  }

  @Test
  @Behaviour("E4: no task is deployed into a slot while tasks of an earlier session end there")
  void nothingIsDeployedIntoASlotWhereTasksOfAnEarlierSessionAreEnding() {
    world.host.obedient = false;
    FakeJobMaster jobMaster = world.running(1);
    world.leaders.nobodyLeads(ComponentNames.jobMaster(JOB));
    world.lead(jobMaster);

    assertThat(
            world.failureOf(
                world.gateway().deployTasks(deployment(jobMaster, world.graph(), 10, 2))))
        .contains("Tasks of an earlier leader's session are still ending in slot");
    assertThat(world.host.deployments).hasSize(1);

    world.host.report(execution(1), TaskState.CANCELED);
    world.env.settle();
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, world.graph(), 10, 3)));
    assertThat(world.host.deployments).hasSize(2);
  }

  @Test
  void brokenConnectionToTheLeaderEndsItsTasks() {
    Rpc elsewhere = new Rpc(world.env, world.network.join("jm2"), Duration.ofSeconds(10));
    FakeJobMaster jobMaster = world.jobMaster(elsewhere, 1);
    world.lead(jobMaster);
    world.request(0, 10);
    world.env.answer(world.gateway().deployTasks(deployment(jobMaster, world.graph(), 10, 1)));

    elsewhere.close();
    world.env.settle();

    assertThat(world.host.cancelled).containsExactly(execution(1));
    assertThat(world.occupant(0)).isPresent();
    assertThat(world.env.journal().of(JOB))
        .filteredOn(entry -> entry.event() instanceof JobMasterDisconnected)
        .extracting(JournalText::of)
        .containsExactly("The job's leader was lost: Process jm2 closed its connections.");
  }

  @Test
  @Behaviour("E2: the JobMaster sends heartbeats to the TaskManager and gives up a silent one")
  void silentLeaderIsLostAndRegisteredAtAgain() {
    FakeJobMaster jobMaster = world.running(1);
    world.advanceWithHeartbeats(Duration.ofSeconds(40));
    assertThat(world.host.cancelled).isEmpty();

    world.advanceWithHeartbeats(Duration.ofSeconds(15));

    assertThat(world.host.cancelled).containsExactly(execution(1));
    assertThat(jobMaster.left).hasSize(1);
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
  }

  @Test
  void leaderThatDropsTheWorkerIsOfferedTheSlotsAgain() {
    FakeJobMaster jobMaster = world.running(1);
    world
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, jobMaster.leaderToken(), false, words("a test")));
    world.env.settle();
    assertThat(world.host.cancelled).containsExactly(execution(1));
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
    assertThat(world.occupant(0)).isPresent();
  }

  @Test
  void endedJobLeavesAtOnce() {
    FakeJobMaster jobMaster = world.running(1);
    world.request(1, 11);
    world
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, jobMaster.leaderToken(), true, words("finished")));
    world.env.settle();

    assertThat(world.host.cancelled).containsExactly(execution(1));
    assertThat(world.host.released).containsExactly(JOB);
    assertThat(world.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactlyInAnyOrder(allocation(10), allocation(11));
    assertThat(world.leaders.isFollowed(ComponentNames.jobMaster(JOB))).isFalse();
  }

  @Test
  void jobThatTheResourceManagerKnowsToHaveEndedLeavesAtOnce() {
    world.request(0, 10);
    world
        .gateway()
        .jobEnded(
            new JobEnded(
                world.resourceManager.leaderToken(), new InstanceId(new Id128(0, 0)), JOB));
    world.env.settle();
    assertThat(world.resourceManager.available).isEmpty();

    world
        .gateway()
        .jobEnded(
            new JobEnded(
                world.resourceManager.leaderToken(), world.resourceManager.instance(), JOB));
    world.env.settle();
    assertThat(world.resourceManager.available)
        .extracting(SlotAvailable::allocation)
        .containsExactly(allocation(10));
    assertThat(world.leaders.isFollowed(ComponentNames.jobMaster(JOB))).isFalse();
  }

  @Test
  void endOfAJobIsBelievedAlsoAfterItsLeaderIsGone() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    world.leaders.nobodyLeads(ComponentNames.jobMaster(JOB));
    world.env.settle();
    world
        .gateway()
        .disconnectJobMaster(
            new JobMasterDrops(JOB, jobMaster.leaderToken(), true, words("finished")));
    world.env.settle();
    assertThat(world.resourceManager.available).hasSize(1);
  }

  @Test
  void formerLeaderCannotEndTheJob() {
    FakeJobMaster first = world.leadJob(1);
    world.request(0, 10);
    world.leadJob(2);
    world
        .gateway()
        .disconnectJobMaster(new JobMasterDrops(JOB, first.leaderToken(), true, words("finished")));
    world.env.settle();
    assertThat(world.occupant(0)).isPresent();
  }

  @Test
  void tellsTheLeaderWhenItsLastSlotIsGone() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    world.env.answer(world.gateway().freeSlot(free(jobMaster, 10)));
    world.env.settle();
    assertThat(jobMaster.left).hasSize(1);
    assertThat(world.failureOf(world.gateway().freeSlot(free(jobMaster, 10))))
        .contains("has no slot of job");
  }

  @Test
  void jobThatComesBackIsRegisteredAnew() {
    FakeJobMaster jobMaster = world.leadJob(1);
    world.request(0, 10);
    world.env.answer(world.gateway().freeSlot(free(jobMaster, 10)));
    world.request(0, 11);
    assertThat(jobMaster.registrations).hasSize(2);
    assertThat(jobMaster.offers).hasSize(2);
  }

  @Test
  void slotsOfALeaderThatWantsNothingExpire() {
    FakeJobMaster jobMaster = world.jobMaster(1);
    jobMaster.verdict = RegistrationStatus.REJECTED;
    world.lead(jobMaster);
    world.request(0, 10);
    world.env.advance(SLOT_TIMEOUT);
    assertThat(jobMaster.registrations).hasSize(1);
    assertThat(jobMaster.offers).isEmpty();
    assertThat(world.resourceManager.available).hasSize(1);
  }

  @Test
  void slotReleasedByATimeOutWaitsForItsTasks() {
    world.host.obedient = false;
    world.running(1);
    world.leaders.nobodyLeads(ComponentNames.jobMaster(JOB));
    world.env.advance(SLOT_TIMEOUT.multipliedBy(2));
    assertThat(world.resourceManager.available).isEmpty();

    world.host.report(execution(1), TaskState.CANCELED);
    world.env.settle();
    assertThat(world.resourceManager.available).hasSize(1);
  }
}
