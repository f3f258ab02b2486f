package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.Tick;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Slots of declared profiles. */
class CarvedSlotsTest {
  private static final ResourceProfile TOTAL =
      new ResourceProfile(4, 400 << 20, 0, 100 << 20, 0, Map.of("gpu", 1L));
  private static final ResourceProfile INDEXED = TOTAL.dividedBy(4);
  private static final ResourceProfile SMALL = new ResourceProfile(0.5, 50 << 20, 0, 0, 0);
  private static final ResourceProfile LARGE = new ResourceProfile(3, 100 << 20, 0, 0, 0);
  private static final ResourceProfile GPU =
      new ResourceProfile(0.1, 1 << 20, 0, 0, 0, Map.of("gpu", 1L));
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final JobId JOB = new JobId(new Id128(0, 1));
  private static final JobId OTHER = new JobId(new Id128(0, 2));
  private static final Duration START_UP = Duration.ofMinutes(2);

  private long now = 77;
  private SlotManager slots = manager(false);

  private SlotManager manager(boolean spread) {
    return new SlotManager(WorkerDemandTest.standalone(START_UP, spread), new Random(1), now);
  }

  @Test
  @Behaviour(
      "D7: slots of declared profiles are carved from the total of a worker, which is never"
          + " exceeded")
  void carvesDeclaredProfilesFromTheFreeResourcesOfAWorker() {
    register(A, 1);
    List<RequestSlot> requests = requests(declare(JOB, new Requirement(SMALL, 2)));
    assertThat(requests)
        .hasSize(2)
        .allMatch(request -> request.slot().isEmpty() && request.profile().equals(SMALL));
    SlotManager.Usage usage = slots.usage(A).orElseThrow();
    assertThat(usage.slots()).isEqualTo(4);
    assertThat(usage.free()).isEqualTo(3);
    assertThat(usage.left()).isEqualTo(TOTAL.minus(SMALL.times(2)));
    assertThat(usage.inUse())
        .containsExactly(
            new SlotInUse(JOB, requests.get(0).allocation(), SMALL),
            new SlotInUse(JOB, requests.get(1).allocation(), SMALL));
  }

  @Test
  void allocatesAnIndexedSlotForAnEqualProfile() {
    register(A, 1);
    assertThat(requests(declare(JOB, new Requirement(INDEXED, 1))))
        .extracting(RequestSlot::slot)
        .containsExactly(Optional.of(0));
  }

  @Test
  @Behaviour(
      "D7: slots of declared profiles are carved from the total of a worker, which is never"
          + " exceeded")
  void carvedAndIndexedSlotsDoNotExceedTheTotal() {
    register(A, 1);
    declare(JOB, new Requirement(LARGE, 1));
    assertThat(requests(declare(OTHER, new Requirement(ResourceProfile.UNSPECIFIED, 4))))
        .extracting(RequestSlot::slot)
        .containsExactly(Optional.of(0));
    assertThat(slots.usage(A).orElseThrow().free()).isZero();
  }

  @Test
  void allocatesLargerProfilesOfAJobFirst() {
    register(A, 1);
    List<RequestSlot> requests =
        requests(declare(JOB, new Requirement(SMALL, 2), new Requirement(LARGE, 1)));
    assertThat(requests).extracting(RequestSlot::profile).containsExactly(LARGE, SMALL, SMALL);
  }

  /** A JobMaster that uses a large slot for a small request requires a large one. */
  @Test
  void slotServesTheRequirementOfItsOwnProfile() {
    register(A, 1);
    register(B, 2);
    declare(JOB, new Requirement(LARGE, 1));
    assertThat(requests(declare(JOB, new Requirement(SMALL, 2)))).hasSize(1);

    assertThat(requests(declare(JOB, new Requirement(LARGE, 1), new Requirement(SMALL, 1))))
        .isEmpty();
    assertThat(requests(declare(JOB, new Requirement(LARGE, 1), new Requirement(SMALL, 2))))
        .extracting(RequestSlot::profile)
        .containsExactly(SMALL);
  }

  @Test
  @Behaviour("D7: slots are packed by default and spread by option")
  void packsIntoTheUsedWorkerWithTheLeastFreeResources() {
    register(A, 1);
    register(B, 2);
    assertThat(requests(declare(JOB, new Requirement(SMALL, 1))))
        .extracting(RequestSlot::worker)
        .containsExactly(A);
    assertThat(requests(declare(OTHER, new Requirement(LARGE, 2))))
        .extracting(RequestSlot::worker)
        .containsExactly(A, B);
  }

  @Test
  @Behaviour("D7: slots are packed by default and spread by option")
  void spreadsByTheMostUsedResource() {
    slots = manager(true);
    register(A, 1);
    register(B, 2);
    declare(JOB, new Requirement(LARGE, 1));
    assertThat(requests(declare(OTHER, new Requirement(INDEXED, 3))))
        .extracting(RequestSlot::worker)
        .containsExactly(B, B, B);
  }

  @Test
  void freedCarvedSlotReturnsItsResources() {
    register(A, 1);
    RequestSlot large = requests(declare(JOB, new Requirement(LARGE, 1))).get(0);
    grant(large);
    assertThat(requests(declare(OTHER, new Requirement(LARGE, 1)))).isEmpty();
    declare(JOB);
    List<SlotAction> freed = apply(new SlotFreed(A, instance(1), large.allocation()));
    assertThat(requests(freed)).extracting(RequestSlot::job).containsExactly(OTHER);
    assertThat(slots.usage(A).orElseThrow().inUse())
        .containsExactly(new SlotInUse(OTHER, requests(freed).get(0).allocation(), LARGE));
  }

  @Test
  void retriesARefusedCarvedSlotOnAnotherWorkerAndBacksOff() {
    register(A, 1);
    register(B, 2);
    RequestSlot first = requests(declare(JOB, new Requirement(LARGE, 1))).get(0);
    List<SlotAction> refused = refuse(first);
    assertThat(requests(refused)).extracting(RequestSlot::worker).containsExactly(B);

    List<SlotAction> both = refuse(requests(refused).get(0));
    assertThat(requests(both)).isEmpty();
    assertThat(text(only(both, NotifyPending.class).get(0).reason()))
        .contains("A slot of 3.0 cpu, 100 mb heap at b was refused: no room");
    now = slots.nextWake().orElseThrow();
    assertThat(requests(apply(new Tick()))).hasSize(1);
  }

  @Test
  @Behaviour("D4: a slot reported as allocated is adopted for its job and not handed out")
  void adoptsReportedCarvedSlots() {
    declare(JOB, new Requirement(LARGE, 2));
    CarvedSlot carved = new CarvedSlot(LARGE, new Occupant(allocation(5), JOB));
    assertThat(requests(report(A, 1, now, carved))).isEmpty();
    assertThat(slots.usage(A).orElseThrow().inUse())
        .containsExactly(new SlotInUse(JOB, allocation(5), LARGE));
    assertThat(requests(register(B, 2))).hasSize(1);
    apply(new WorkerLost(A, instance(1)));
    assertThat(slots.usage(A)).isEmpty();
  }

  @Test
  void laterReportsAddAndRemoveCarvedSlots() {
    register(A, 1);
    RequestSlot granted = requests(declare(JOB, new Requirement(SMALL, 1))).get(0);
    grant(granted);
    CarvedSlot known = new CarvedSlot(SMALL, new Occupant(granted.allocation(), JOB));
    CarvedSlot unknown = new CarvedSlot(LARGE, new Occupant(allocation(5), OTHER));
    now += 1000;
    report(A, 1, now, known, unknown);
    assertThat(slots.usage(A).orElseThrow().inUse())
        .containsExactly(
            new SlotInUse(JOB, granted.allocation(), SMALL),
            new SlotInUse(OTHER, allocation(5), LARGE));
    now += 1000;
    report(A, 1, now, known);
    assertThat(slots.usage(A).orElseThrow().inUse())
        .containsExactly(new SlotInUse(JOB, granted.allocation(), SMALL));
  }

  @Test
  void reportOlderThanTheEndOfACarvedSlotDoesNotRestoreIt() {
    register(A, 1);
    RequestSlot granted = requests(declare(JOB, new Requirement(SMALL, 1))).get(0);
    grant(granted);
    declare(JOB);
    now += 1000;
    long reportedAt = now;
    now += 1000;
    apply(new SlotFreed(A, instance(1), granted.allocation()));
    CarvedSlot old = new CarvedSlot(SMALL, new Occupant(granted.allocation(), JOB));
    report(A, 1, reportedAt, old);
    assertThat(slots.usage(A).orElseThrow().inUse()).isEmpty();
    now += 1000;
    report(A, 1, now, old);
    assertThat(slots.usage(A).orElseThrow().inUse()).hasSize(1);
  }

  /** The worker grants a request late, when it was given up, and frees the slot again. */
  @Test
  @Behaviour("D4: a late slot report does not bring back a slot that is free")
  void reportOlderThanTheEndOfAnAbandonedRequestDoesNotAdoptItsSlot() {
    register(A, 1);
    RequestSlot abandoned = requests(declare(JOB, new Requirement(SMALL, 1))).get(0);
    declare(JOB);
    refuse(abandoned);
    now += 1000;
    long reportedAt = now;
    now += 1000;
    apply(new SlotFreed(A, instance(1), abandoned.allocation()));
    CarvedSlot old = new CarvedSlot(SMALL, new Occupant(abandoned.allocation(), JOB));
    report(A, 1, reportedAt, old);
    assertThat(slots.usage(A).orElseThrow().inUse()).isEmpty();
  }

  @Test
  void reportDoesNotEndAPendingCarvedSlot() {
    register(A, 1);
    RequestSlot request = requests(declare(JOB, new Requirement(SMALL, 1))).get(0);
    now += 1000;
    report(A, 1, now);
    grant(request);
    assertThat(slots.usage(A).orElseThrow().inUse())
        .containsExactly(new SlotInUse(JOB, request.allocation(), SMALL));
  }

  @Test
  void shortageOfResourcesWaitsWithItsReason() {
    register(A, 1);
    declare(OTHER, new Requirement(LARGE, 1)).forEach(this::grantIfRequest);
    now += START_UP.toNanos();
    List<SlotAction> waiting = declare(JOB, new Requirement(LARGE, 2));
    assertThat(only(waiting, FailRequirements.class)).isEmpty();
    assertThat(text(only(waiting, NotifyPending.class).get(0).reason()))
        .isEqualTo(
            "The job needs 2 slots and has 0; 2 slots of 3.0 cpu, 100 mb heap are missing, and 1"
                + " TaskManager has 1.0 cpu, 300 mb heap, 100 mb managed, 1 gpu left of 4.0 cpu,"
                + " 400 mb heap, 100 mb managed, 1 gpu. Start more TaskManagers.");
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  void advisesLargerTaskManagersDuringTheStartUpTime() {
    ResourceProfile huge = new ResourceProfile(1, 4000L << 20, 0, 0, 0);
    String none =
        text(only(declare(JOB, new Requirement(huge, 1)), NotifyPending.class).get(0).reason());
    assertThat(none)
        .isEqualTo(
            "The job needs 1 slot and has 0; no TaskManager is registered. Start TaskManagers with"
                + " at least 1.0 cpu, 3.91 gb heap or lower the resources the job declares.");
    register(A, 1);
    now += SlotShortages.REFRESH.toNanos();
    assertThat(text(only(apply(new Tick()), NotifyPending.class).get(0).reason()))
        .contains("1 slot of 1.0 cpu, 3.91 gb heap is missing")
        .endsWith(
            "None is large enough; the largest has 4.0 cpu, 400 mb heap, 100 mb managed, 1 gpu."
                + " Start TaskManagers with at least 1.0 cpu, 3.91 gb heap or lower the resources"
                + " the job declares.");
  }

  @Test
  void profileLargerThanEveryTotalFails() {
    register(A, 1);
    now += START_UP.toNanos();
    ResourceProfile huge = new ResourceProfile(1, 401 << 20, 0, 0, 0);
    List<SlotAction> failed = declare(JOB, new Requirement(SMALL, 1), new Requirement(huge, 1));
    assertThat(text(only(failed, FailRequirements.class).get(0).reason()))
        .isEqualTo(
            "The job needs 1 slot of 1.0 cpu, 401 mb heap. None of the 1 registered"
                + " TaskManagers is that large; the largest has 4.0 cpu, 400 mb heap, 100 mb"
                + " managed, 1 gpu. Start larger TaskManagers or lower the resources the job"
                + " declares.");
  }

  @Test
  @Behaviour("D7: external resources are counted, and each is handed out once")
  void allocatesExternalResourcesOnce() {
    register(A, 1);
    assertThat(requests(declare(JOB, new Requirement(GPU, 2)))).hasSize(1);
    assertThat(slots.usage(A).orElseThrow().left().external()).isEmpty();
  }

  private List<SlotAction> apply(SlotEvent event) {
    return slots.apply(event, now);
  }

  private List<SlotAction> register(WorkerId worker, long instance) {
    return report(worker, instance, now);
  }

  private List<SlotAction> report(WorkerId worker, long instance, long asOf, CarvedSlot... carved) {
    List<SlotStatus> indexed = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      indexed.add(new SlotStatus(i, INDEXED, Optional.empty()));
    }
    SlotReport report = new SlotReport(indexed, Arrays.asList(carved));
    return apply(new SlotsReported(worker, instance(instance), TOTAL, report, asOf));
  }

  private List<SlotAction> declare(JobId job, Requirement... requirements) {
    return apply(new RequirementsDeclared(job, Arrays.asList(requirements), Duration.ofMinutes(5)));
  }

  private void grant(RequestSlot request) {
    apply(new SlotGranted(request.worker(), request.instance(), request.allocation()));
  }

  private void grantIfRequest(SlotAction action) {
    if (action instanceof RequestSlot request) {
      grant(request);
    }
  }

  private List<SlotAction> refuse(RequestSlot request) {
    return apply(
        new SlotRefused(
            request.worker(),
            request.instance(),
            request.allocation(),
            words("no room"),
            Optional.empty()));
  }

  private static InstanceId instance(long number) {
    return new InstanceId(new Id128(1, number));
  }

  private static AllocationId allocation(long number) {
    return new AllocationId(new Id128(5, number));
  }

  private static List<RequestSlot> requests(List<SlotAction> actions) {
    return only(actions, RequestSlot.class);
  }

  private static <T> List<T> only(List<SlotAction> actions, Class<T> type) {
    return actions.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
