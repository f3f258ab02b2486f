package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.RecordEvent;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.JobEnded;
import io.millrace.control.slotmanager.SlotEvent.JobForgotten;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.Tick;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsAllocated;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReleased;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SlotManagerTest extends SlotManagerTestBase {
  @Test
  void requestsFreeSlotsForAJob() {
    register(A, 1, SMALL, 3);
    List<RequestSlot> requests = requests(declare(JOB, ResourceProfile.UNSPECIFIED, 2));
    assertThat(requests).extracting(r -> r.slot().orElseThrow()).containsExactly(0, 1);
    assertThat(requests).extracting(RequestSlot::allocation).doesNotHaveDuplicates();
    assertThat(requests).allMatch(r -> r.job().equals(JOB) && r.profile().equals(SMALL));
    assertUsage(A, 3, 1, JOB, JOB);
    requests.forEach(request -> assertThat(requests(grant(request))).isEmpty());
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 2))).isEmpty();
  }

  @Test
  @Behaviour("D6: the last declaration of requirements counts")
  void lastDeclarationCounts() {
    register(A, 1, SMALL, 5);
    declare(JOB, ResourceProfile.UNSPECIFIED, 2).forEach(this::grantIfRequest);
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 3))).hasSize(1);
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 1))).isEmpty();
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 3))).isEmpty();
  }

  @Test
  @Behaviour(
      "D7: slots are matched by profile, and large slots are kept for requirements that need them")
  void matchesByProfileAndKeepsLargeSlotsForLargeProfiles() {
    register(A, 1, LARGE, 1);
    register(B, 2, SMALL, 1);
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 1)))
        .extracting(RequestSlot::worker)
        .containsExactly(B);
    assertThat(requests(declare(OTHER, LARGE, 2)))
        .extracting(RequestSlot::worker)
        .containsExactly(A);
  }

  @Test
  @Behaviour("D7: slots are packed by default and spread by option")
  void packsByDefaultAndSpreadsByOption() {
    register(A, 1, SMALL, 4);
    register(B, 2, SMALL, 4);
    assertThat(requests(declare(JOB, SMALL, 4)))
        .extracting(RequestSlot::worker)
        .containsOnly(A)
        .hasSize(4);

    slots = manager(true);
    register(A, 1, SMALL, 4);
    register(B, 2, SMALL, 4);
    assertThat(requests(declare(JOB, SMALL, 4)))
        .extracting(RequestSlot::worker)
        .containsExactly(A, B, A, B);
  }

  @Test
  void spreadsByTheFractionOfSlotsInUse() {
    slots = manager(true);
    register(A, 1, SMALL, 2);
    register(B, 2, LARGE, 6);
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 4)))
        .extracting(RequestSlot::worker)
        .containsExactly(A, B, B, B);
  }

  @Test
  void prefersUsedWorkersToUnusedOnes() {
    register(A, 1, SMALL, 2);
    declare(JOB, SMALL, 1);
    register(B, 2, SMALL, 1);
    assertThat(requests(declare(OTHER, SMALL, 1)))
        .extracting(RequestSlot::worker)
        .containsExactly(A);
  }

  @Test
  @Behaviour("D4: a slot reported as allocated is adopted for its job and not handed out")
  void adoptsSlotsReportedAsAllocated() {
    declare(JOB, SMALL, 2);
    AllocationId held = new AllocationId(new Id128(5, 5));
    List<SlotAction> actions =
        report(A, 1, status(0, SMALL, JOB, held), status(1, SMALL), status(2, SMALL));
    assertThat(requests(actions)).extracting(r -> r.slot().orElseThrow()).containsExactly(1);
    assertThat(requests(declare(OTHER, SMALL, 3)))
        .extracting(r -> r.slot().orElseThrow())
        .containsExactly(2);
  }

  @Test
  @Behaviour("D4: a second report under the same instance only updates states")
  void repeatedReportOfAnInstanceOnlyUpdatesStates() {
    register(A, 1, SMALL, 2);
    RequestSlot granted = requests(declare(JOB, SMALL, 1)).get(0);
    grant(granted);
    now += 1000;
    assertThat(report(A, 1, status(0, SMALL, JOB, granted.allocation()), status(1, SMALL)))
        .isEmpty();
    assertUsage(A, 2, 1, JOB);
    AllocationId otherAllocation = new AllocationId(new Id128(5, 5));
    report(A, 1, status(0, SMALL), status(1, SMALL, OTHER, otherAllocation));
    assertUsage(A, 2, 0, JOB, OTHER);
  }

  @Test
  @Behaviour("D4: a second report under the same instance only updates states")
  void reportDoesNotFreeAPendingSlot() {
    register(A, 1, SMALL, 1);
    RequestSlot request = requests(declare(JOB, SMALL, 1)).get(0);
    now += 1000;
    assertThat(requests(report(A, 1, status(0, SMALL)))).isEmpty();
    grant(request);
    assertUsage(A, 1, 0, JOB);
  }

  @Test
  @Behaviour("D4: a second report under the same instance only updates states")
  void reportOlderThanAGrantDoesNotFreeTheSlot() {
    register(A, 1, SMALL, 1);
    RequestSlot request = requests(declare(JOB, SMALL, 1)).get(0);
    now += 1000;
    long reportedAt = now;
    now += 1000;
    grant(request);
    SlotReport free = new SlotReport(List.of(status(0, SMALL)), List.of());
    apply(new SlotsReported(A, instance(1), SMALL, free, reportedAt));
    assertUsage(A, 1, 0, JOB);
  }

  @Test
  @Behaviour("D3: a new registration replaces the old instance and its slots")
  void newInstanceReplacesTheSlotsOfTheOldOne() {
    register(A, 1, SMALL, 2);
    RequestSlot old = requests(declare(JOB, SMALL, 2)).get(0);
    grant(old);
    List<RequestSlot> repeated = requests(register(A, 2, SMALL, 3));
    assertThat(repeated).hasSize(2).allMatch(request -> request.instance().equals(instance(2)));
    assertThat(slots.usage(A).orElseThrow().slots()).isEqualTo(3);
    apply(new SlotFreed(A, instance(1), old.allocation()));
    apply(new WorkerLost(A, instance(1)));
    assertThat(slots.usage(A).orElseThrow().free()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "D5: a silent or unreachable TaskManager is disconnected with the cause, and its slots are"
          + " planned anew")
  void requirementsOfALostWorkerGetOtherSlots() {
    register(A, 1, SMALL, 2);
    declare(JOB, SMALL, 2).forEach(this::grantIfRequest);
    register(B, 2, SMALL, 1);
    List<SlotAction> actions = apply(new WorkerLost(A, instance(1)));
    assertThat(requests(actions)).extracting(RequestSlot::worker).containsExactly(B);
    assertThat(pending(actions).missing()).isEqualTo(1);
    assertThat(slots.usage(A)).isEmpty();
  }

  @Test
  @Behaviour("D6: a freed slot is available to other jobs at once")
  void allocatesAFreedSlotToAWaitingJob() {
    register(A, 1, SMALL, 1);
    RequestSlot held = requests(declare(JOB, SMALL, 1)).get(0);
    grant(held);
    assertThat(requests(declare(OTHER, SMALL, 1))).isEmpty();
    declare(JOB);
    assertThat(requests(apply(new SlotFreed(A, instance(1), new AllocationId(new Id128(0, 0))))))
        .isEmpty();
    List<SlotAction> freed = apply(new SlotFreed(A, instance(1), held.allocation()));
    assertThat(requests(freed)).extracting(RequestSlot::job).containsExactly(OTHER);
    assertThat(pending(freed).missing()).isZero();
  }

  @Test
  @Behaviour(
      "D4: a new slot serves the requirement it was requested for first; each change leads to a"
          + " new plan, older jobs first")
  void olderJobsGetSlotsFirst() {
    declare(OTHER, SMALL, 1);
    declare(JOB, SMALL, 1);
    assertThat(requests(register(A, 1, SMALL, 1)))
        .extracting(RequestSlot::job)
        .containsExactly(OTHER);
  }

  @Test
  @Behaviour(
      "D2: a job without a leader for resourcemanager.job.timeout is forgotten with its"
          + " requirements")
  void allocatesNoSlotsToAForgottenJob() {
    declare(JOB, SMALL, 1);
    apply(new JobForgotten(JOB));
    assertThat(requests(register(A, 1, SMALL, 1))).isEmpty();
    now += TIMEOUT.toNanos() * 2;
    assertThat(apply(new Tick())).isEmpty();
    assertThat(slots.nextWake()).isEmpty();
  }

  @Test
  void tellsWorkersToFreeTheSlotsOfAnEndedJob() {
    register(A, 1, SMALL, 2);
    register(B, 2, SMALL, 1);
    declare(JOB, SMALL, 3);
    assertThat(requests(declare(OTHER, SMALL, 1))).isEmpty();
    assertThat(apply(new JobEnded(JOB)))
        .filteredOn(EndJob.class::isInstance)
        .extracting(action -> ((EndJob) action).worker())
        .containsExactly(A, B);
  }

  @Test
  @Behaviour(
      "D7: a shortage in number waits with its reason shown, also if a configured limit causes it")
  void notifiesAJobOfTheCurrentReasonOfItsShortage() {
    NotifyPending none = pending(declare(JOB, ResourceProfile.UNSPECIFIED, 8));
    assertThat(none.missing()).isEqualTo(8);
    assertThat(text(none.reason()))
        .isEqualTo(
            "The job needs 8 slots and has 0; no TaskManager is registered. Start more"
                + " TaskManagers.");
    NotifyPending five = pending(register(A, 1, SMALL, 5));
    assertThat(five.missing()).isEqualTo(3);
    assertThat(text(five.reason()))
        .isEqualTo(
            "The job needs 8 slots and has 5; 5 are registered by 1 TaskManager, 0 of them free."
                + " Start more TaskManagers.");
    List<SlotAction> all = register(B, 2, SMALL, 4);
    assertThat(pending(all).missing()).isZero();
    assertThat(text(pending(all).reason())).isEmpty();
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  void renewsReasonsWithinASecondOfChangesByOtherJobs() {
    register(A, 1, SMALL, 1);
    assertThat(text(pending(declare(JOB, LARGE, 1)).reason()))
        .contains(
            "1 slot of 2.0 cpu, 400 mb heap is missing, and 1 TaskManager has 1.0 cpu, 100 mb"
                + " heap left of 1.0 cpu, 100 mb heap.");
    assertThat(declare(OTHER, SMALL, 1)).noneMatch(NotifyPending.class::isInstance);
    now = slots.nextWake().orElseThrow();
    assertThat(now).isLessThanOrEqualTo(77 + Duration.ofSeconds(1).toNanos());
    NotifyPending renewed = pending(apply(new Tick()));
    assertThat(renewed.job()).isEqualTo(JOB);
    assertThat(text(renewed.reason())).contains("1 TaskManager has nothing left of 1.0 cpu");
  }

  @Test
  @Behaviour(
      "D7: a shortage fails with the numbers after slot.request.timeout, which starts again when"
          + " slots come")
  void shortageFailsWithTheNumbersAfterTheTimeout() {
    register(A, 1, SMALL, 5);
    declare(JOB, ResourceProfile.UNSPECIFIED, 8).forEach(this::grantIfRequest);
    now += TIMEOUT.toNanos() - 1;
    assertThat(failures(apply(new Tick()))).isEmpty();
    now += 1;
    FailRequirements failed = failures(apply(new Tick())).get(0);
    assertThat(failed.job()).isEqualTo(JOB);
    assertThat(text(failed.reason()))
        .isEqualTo(
            "The job needs 8 slots and has 5 after 5 min in which none came"
                + " (slot.request.timeout); 5 are registered by 1 TaskManager, 0 of them free."
                + " Start more TaskManagers.");
    assertThat(requests(register(B, 2, SMALL, 4))).isEmpty();
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 8))).hasSize(3);
  }

  @Test
  @Behaviour(
      "D7: a shortage fails with the numbers after slot.request.timeout, which starts again when"
          + " slots come")
  void registeredSlotsRestartTheTimeout() {
    declare(JOB, ResourceProfile.UNSPECIFIED, 3);
    now += TIMEOUT.toNanos() - 1;
    register(A, 1, SMALL, 1).forEach(this::grantIfRequest);
    now += TIMEOUT.toNanos() - 1;
    assertThat(failures(apply(new Tick()))).isEmpty();
    register(B, 2, SMALL, 1).forEach(this::grantIfRequest);
    now += TIMEOUT.toNanos() - 1;
    assertThat(failures(apply(new Tick()))).isEmpty();
    now += 1;
    assertThat(failures(apply(new Tick()))).hasSize(1);
  }

  @Test
  @Behaviour(
      "D7: a profile that no worker could ever fit fails at once, or after the start-up time where"
          + " workers come by themselves")
  void unfulfillableProfileFailsAfterTheStartUpTime() {
    register(A, 1, SMALL, 1);
    assertThat(failures(declare(JOB, HUGE, 2))).isEmpty();
    assertThat(slots.nextWake()).isPresent();
    now += START_UP.toNanos();
    FailRequirements failed = failures(apply(new Tick())).get(0);
    assertThat(text(failed.reason()))
        .contains("The job needs 2 slots of 8.0 cpu")
        .contains("None of the 1 registered TaskManagers is that large")
        .contains("the largest has 1.0 cpu");
    assertThat(failures(declare(JOB, HUGE, 2))).hasSize(1);
  }

  @Test
  @Behaviour(
      "D7: a profile that no worker could ever fit fails at once, or after the start-up time where"
          + " workers come by themselves")
  void profileThatFitsAnAllocatedSlotWaits() {
    register(A, 1, HUGE, 1);
    declare(OTHER, HUGE, 1).forEach(this::grantIfRequest);
    now += START_UP.toNanos();
    assertThat(failures(declare(JOB, HUGE, 1))).isEmpty();
  }

  @Test
  @Behaviour(
      "D7: a shortage in number waits with its reason shown, also if a configured limit causes it")
  void jobWaitsWhileNoWorkerIsRegistered() {
    now += START_UP.toNanos();
    assertThat(failures(declare(JOB, HUGE, 1))).isEmpty();
    assertThat(requests(register(A, 1, HUGE, 1))).hasSize(1);
  }

  @Test
  void recordsGrantsAndReleasesOfManySlotsOnce() {
    register(A, 1, SMALL, 100);
    List<RequestSlot> requests = requests(declare(JOB, SMALL, 100));
    List<RecordEvent> recorded = new ArrayList<>();
    requests.forEach(request -> recorded.addAll(recorded(grant(request))));
    declare(JOB);
    requests.forEach(
        r -> recorded.addAll(recorded(apply(new SlotFreed(A, instance(1), r.allocation())))));
    assertThat(recorded)
        .containsExactly(
            new RecordEvent(JOB, new SlotsAllocated(100)),
            new RecordEvent(JOB, new SlotsReleased(100)));
  }

  @Test
  @Timeout(30)
  void costOfAnEventDoesNotGrowWithTheCluster() {
    for (int i = 0; i < 2000; i++) {
      register(new WorkerId("w" + i), i, SMALL, 10);
    }
    assertThat(requests(declare(JOB, ResourceProfile.UNSPECIFIED, 10_000))).hasSize(10_000);
    // Takes a second. With a cost proportional to the cluster it would take hours.
    for (int i = 0; i < 10_000; i++) {
      JobId job = new JobId(new Id128(9, i));
      RequestSlot request = requests(declare(job, ResourceProfile.UNSPECIFIED, 1)).get(0);
      grant(request);
    }
    assertThat(slots.nextWake()).isPresent();
  }
}
