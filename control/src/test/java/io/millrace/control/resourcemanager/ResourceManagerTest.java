package io.millrace.control.resourcemanager;

import static io.millrace.control.Reasons.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.RequirementsPending;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Allocation of slots to jobs, and notifications of shortages. */
class ResourceManagerTest extends ResourceManagerTestBase {
  @Test
  void carvesSlotsOfDeclaredProfilesAndShowsFreeResources() {
    start();
    FakeTaskManager worker = registered("w", 2);
    ResourceProfile size = new ResourceProfile(1.5, 10 << 20, 0, 0, 0);
    registeredJobMaster().declare(leader(), size, 2);
    env.settle();
    assertThat(worker.requests)
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.slot()).isEmpty();
              assertThat(request.profile()).isEqualTo(size);
            });
    WorkerInfo info = workers().get(0);
    assertThat(info.slotsInUse())
        .containsExactly(new SlotInUse(JOB, worker.requests.get(0).allocation(), size));
    assertThat(info.free()).isEqualTo(info.total().minus(size));
    assertThat(info.slots()).isEqualTo(2);
    assertThat(info.freeSlots()).isZero();

    worker.carved.clear();
    env.advance(Duration.ofSeconds(10));
    assertThat(worker.requests).as("requests after a report without the slot").hasSize(2);
  }

  @Test
  @Behaviour("D6: a freed slot is available to other jobs at once")
  void allocatesFreedSlotsAgain() {
    start();
    FakeTaskManager worker = registered("w", 2);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    assertThat(worker.requests).hasSize(2);
    RequestSlot request = worker.requests.get(0);
    assertThat(request.resourceManager()).isEqualTo(leader().token());
    assertThat(request.job()).isEqualTo(JOB);
    assertThat(workers().get(0).slotsInUse()).extracting(SlotInUse::job).containsExactly(JOB, JOB);
    assertThat(last(jobMaster.pending).missing()).isEqualTo(1);

    worker.occupants.remove(request.slot().orElseThrow());
    worker
        .at(leader())
        .slotAvailable(
            new SlotAvailable(worker.id, worker.instance.orElseThrow(), request.allocation()));
    env.settle();
    assertThat(worker.requests).hasSize(3);
    assertThat(worker.requests.get(2).slot()).isEqualTo(request.slot());
    assertThat(worker.requests.get(2).allocation()).isNotEqualTo(request.allocation());
  }

  @Test
  @Behaviour("D7: an allocation that is refused or not answered is retried elsewhere")
  void requestsASlotFromAnotherWorkerAfterARefusal() {
    start();
    FakeTaskManager refusing = registered("a", 1);
    refusing.slotAnswer = FakeTaskManager.SlotAnswer.REFUSE;
    FakeTaskManager granting = registered("b", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    assertThat(refusing.requests).hasSize(1);
    assertThat(granting.requests).hasSize(1);
    assertThat(JournalText.of(jobJournal(ResourceManagerEvent.SlotRefused.class).get(0)))
        .contains("a#0", "there is no room");
  }

  @Test
  @Behaviour("D7: an allocation that is refused or not answered is retried elsewhere")
  void requestsASlotFromAnotherWorkerAfterATimeout() {
    start();
    FakeTaskManager silent = registered("a", 1);
    silent.slotAnswer = FakeTaskManager.SlotAnswer.NONE;
    FakeTaskManager granting = registered("b", 1);
    registeredJobMaster().declare(leader(), 1);
    env.settle();
    assertThat(granting.requests).isEmpty();
    env.advance(Duration.ofSeconds(10));
    assertThat(granting.requests).hasSize(1);
  }

  @Test
  void notifiesTheJobOfAShortageAndFailsItAfterTheTimeout() {
    start();
    registered("w", 5);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 8);
    env.settle();
    RequirementsPending notice = last(jobMaster.pending);
    assertThat(notice.missing()).isEqualTo(3);
    assertThat(text(notice.reason()))
        .isEqualTo(
            "The job needs 8 slots and has 5; 5 are registered by 1 TaskManager, 0 of them free."
                + " Start more TaskManagers or lower the parallelism.");
    env.advance(Duration.ofMinutes(5).minusSeconds(1));
    assertThat(jobMaster.failed).isEmpty();
    env.advance(Duration.ofSeconds(1));
    assertThat(jobMaster.failed).hasSize(1);
    assertThat(jobMaster.failed.get(0).resourceManager()).isEqualTo(leader().token());
    assertThat(text(jobMaster.failed.get(0).reason()))
        .contains("needs 8 slots and has 5 after 5 min");
  }

  @Test
  void clearsTheReasonWhenSlotsAreRegistered() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    assertThat(last(jobMaster.pending).missing()).isEqualTo(1);
    registered("w", 1);
    assertThat(last(jobMaster.pending).missing()).isZero();
  }

  @Test
  void recordsEachDecisionForAJob() {
    start();
    registered("w", 2);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    assertThat(env.journal().of(JOB))
        .<Class<?>>extracting(entry -> entry.event().getClass())
        .containsExactly(
            ResourceManagerEvent.JobMasterRegistered.class,
            ResourceManagerEvent.RequirementsReceived.class,
            ResourceManagerEvent.SlotsRequested.class,
            ResourceManagerEvent.SlotsMissing.class,
            ResourceManagerEvent.SlotsGranted.class,
            ResourceManagerEvent.SlotRequestsAnswered.class,
            ResourceManagerEvent.SlotsAllocated.class);
    assertThat(JournalText.of(jobJournal(ResourceManagerEvent.SlotsRequested.class).get(0)))
        .isEqualTo(
            "2 slots requested of worker w, filling one worker after the other"
                + " (cluster.evenly-spread-out-slots: false).");
    JournalEntry granted = jobJournal(ResourceManagerEvent.SlotsGranted.class).get(0);
    assertThat(granted.worker()).map(WorkerId::value).contains("w");
    assertThat(JournalEvent.of(granted).count()).isEqualTo(2);
    JournalEntry answered = jobJournal(ResourceManagerEvent.SlotRequestsAnswered.class).get(0);
    assertThat(JournalText.of(answered)).isEqualTo("2 slots granted by 1 worker.");
    assertThat(JournalEvent.of(answered).count()).isEqualTo(2);
    assertThat(clusterJournal(ResourceManagerEvent.TaskManagerRegistered.class)).hasSize(1);
    assertThat(clusterJournal(ResourceManagerEvent.SlotsReported.class)).hasSize(1);
  }

  @Test
  @Behaviour(
      "D3: a registration carries address, worker id, data port, hardware, default slot and total"
          + " profile")
  void listsWorkersWithTheirLastReport() {
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
    assertThat(info.hardware()).isEqualTo(new WorkerInfo.Hardware(4, 8, 2, 1));
    assertThat(info.total()).isEqualTo(FakeTaskManager.SLOT.times(2));
    assertThat(info.registeredAt()).isEqualTo(registeredAt);
    assertThat(info.lastHeartbeatAt()).isEqualTo(registeredAt + 20_000);
    assertThat(info.slots()).isEqualTo(2);
    assertThat(info.freeSlots()).isEqualTo(1);
    assertThat(info.slotsInUse()).extracting(SlotInUse::job).containsExactly(JOB);
    assertThat(info.metrics()).isEqualTo(FakeTaskManager.METRICS);
  }
}
