package io.millrace.worker.slots;

import static io.millrace.worker.Reasons.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlotTableTest {
  private static final ResourceProfile PROFILE = new ResourceProfile(1, 100, 0, 0, 0);
  private static final ResourceProfile HALF = new ResourceProfile(0.5, 50, 0, 0, 0);
  private static final Duration TIMEOUT = Duration.ofNanos(100);
  private static final JobId JOB = new JobId(new Id128(0, 1));
  private static final JobId OTHER = new JobId(new Id128(0, 2));

  private final SlotTable table = new SlotTable(3, PROFILE.times(3), Map.of(), TIMEOUT);

  @Test
  @Behaviour("F3: a slot is allocated if its index is free and the budget allows")
  void allocatesFreeSlotAndReportsItsOccupant() {
    assertThat(allocate(1, JOB, 10, 0).granted()).isTrue();

    assertThat(table.report().slots())
        .extracting(SlotStatus::occupant)
        .containsExactly(Optional.empty(), Optional.of(occupant(JOB, 10)), Optional.empty());
    assertThat(table.holds(JOB, allocation(10))).isTrue();
    assertThat(table.holds(OTHER, allocation(10))).isFalse();
  }

  @Test
  @Behaviour("F3: a repeated slot request is granted, a conflicting one is refused")
  void grantsSameRequestAgain() {
    allocate(1, JOB, 10, 0);
    assertThat(allocate(1, JOB, 10, 5).granted()).isTrue();

    table.activate(allocation(10));
    assertThat(allocate(1, JOB, 10, 6).granted()).isTrue();
    assertThat(table.nextDeadline()).isEmpty();
  }

  @Test
  @Behaviour("F3: a repeated slot request is granted, a conflicting one is refused")
  void refusesOccupiedSlotAndNamesItsOccupant() {
    allocate(1, JOB, 10, 0);

    SlotReply reply = allocate(1, OTHER, 11, 0);

    assertThat(reply.granted()).isFalse();
    assertThat(reply.occupant()).contains(occupant(JOB, 10));
  }

  @Test
  @Behaviour("F3: a slot is allocated if its index is free and the budget allows")
  void refusesUnknownAndTooSmallSlots() {
    assertThat(text(allocate(3, JOB, 10, 0).reason())).contains("There is no slot 3");
    assertThat(allocate(-1, JOB, 10, 0).granted()).isFalse();
    SlotReply tooLarge =
        table.allocate(0, occupant(JOB, 10), new ResourceProfile(2, 0, 0, 0, 0), 0);
    assertThat(tooLarge.granted()).isFalse();
    assertThat(text(tooLarge.reason())).contains("no room");
    assertThat(table.hasNothingOf(JOB)).isTrue();
  }

  @Test
  void refusesAllocationThatHasAnotherSlot() {
    allocate(0, JOB, 10, 0);
    assertThat(text(allocate(1, JOB, 10, 0).reason())).contains("has slot 0");
  }

  @Test
  @Behaviour("F3: an allocated slot that the job never takes times out")
  void expiresOnlySlotsThatAreNotAccepted() {
    allocate(0, JOB, 10, 0);
    allocate(1, JOB, 11, 50);
    allocate(2, OTHER, 12, 60);
    table.activate(allocation(11));

    assertThat(table.nextDeadline()).hasValue(100);
    assertThat(table.expired(99)).isEmpty();
    assertThat(table.expired(100)).containsExactly(occupant(JOB, 10));
    assertThat(table.expired(1000)).containsExactly(occupant(JOB, 10), occupant(OTHER, 12));
  }

  @Test
  void lossOfTheLeaderRestartsTheTimeoutOfActiveSlots() {
    allocate(0, JOB, 10, 0);
    allocate(1, OTHER, 11, 0);
    table.activate(allocation(10));
    table.activate(allocation(11));

    table.deactivate(JOB, 1000);

    assertThat(table.offersTo(JOB))
        .extracting(SlotOffer::allocation)
        .containsExactly(allocation(10));
    assertThat(table.offersTo(OTHER)).isEmpty();
    assertThat(table.nextDeadline()).hasValue(1100);
    assertThat(table.expired(2000)).containsExactly(occupant(JOB, 10));
  }

  @Test
  void releasingSlotIsNeitherOfferedNorHeldNorGranted() {
    allocate(0, JOB, 10, 0);
    assertThat(table.release(allocation(10))).isTrue();
    assertThat(table.release(allocation(10))).isFalse();

    assertThat(table.offersTo(JOB)).isEmpty();
    assertThat(table.heldBy(JOB)).isEmpty();
    assertThat(table.holds(JOB, allocation(10))).isFalse();
    assertThat(table.activate(allocation(10))).isFalse();
    assertThat(allocate(0, JOB, 10, 0).granted()).isFalse();
    assertThat(table.hasNothingOf(JOB)).isFalse();
    assertThat(table.report().slots().get(0).occupant()).contains(occupant(JOB, 10));
    assertThat(table.nextDeadline()).isEmpty();
  }

  @Test
  void freedSlotHasNoOccupant() {
    allocate(2, JOB, 10, 0);
    table.release(allocation(10));

    table.free(allocation(10));
    assertThat(table.hasNothingOf(JOB)).isTrue();
    assertThat(allocate(2, OTHER, 11, 0).granted()).isTrue();
  }

  @Test
  void freesOnlyWhatIsBeingReleased() {
    allocate(2, JOB, 10, 0);
    assertThatThrownBy(() -> table.free(allocation(10)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ALLOCATED to FREE");
  }

  @Test
  void carvesAndOffersASlotOfTheRequestedSize() {
    assertThat(carve(JOB, 10, HALF).granted()).isTrue();

    assertThat(table.holds(JOB, allocation(10))).isTrue();
    assertThat(table.offersTo(JOB)).containsExactly(new SlotOffer(allocation(10), HALF));
    assertThat(table.report().carved()).containsExactly(new CarvedSlot(HALF, occupant(JOB, 10)));
    assertThat(table.report().slots()).hasSize(3).allMatch(slot -> slot.occupant().isEmpty());
    assertThat(table.nextDeadline()).hasValue(100);
  }

  @Test
  @Behaviour("F3: a slot request without an index is carved from the remaining budget")
  void carvesOnlyAvailableResourcesAndReportsWhatIsMissing() {
    allocate(0, JOB, 10, 0);
    allocate(1, JOB, 11, 0);
    assertThat(carve(JOB, 12, HALF).granted()).isTrue();

    SlotReply reply = carve(JOB, 13, PROFILE);

    assertThat(reply.granted()).isFalse();
    assertThat(text(reply.reason()))
        .contains("no room for a slot of 1.0 cpu, 100 bytes heap")
        .contains("0.5 cpu, 50 bytes heap is left of 3.0 cpu, 300 bytes heap")
        .contains("0.5 cpu, 50 bytes heap too little");
    assertThat(table.holds(JOB, allocation(13))).isFalse();
  }

  @Test
  @Behaviour("F3: a slot is allocated if its index is free and the budget allows")
  void refusesAnEqualSlotWhoseResourcesAreCarved() {
    carve(JOB, 10, new ResourceProfile(0.1, 250, 0, 0, 0));

    SlotReply reply = allocate(0, JOB, 11, 0);

    assertThat(reply.granted()).isFalse();
    assertThat(text(reply.reason()))
        .contains("no room for slot 0")
        .contains("50 bytes heap too little");
    assertThat(reply.occupant()).isEmpty();
  }

  @Test
  @Behaviour("F3: a slot request without an index is carved from the remaining budget")
  void carvingIsIdempotent() {
    ResourceProfile most = new ResourceProfile(2, 200, 0, 0, 0);
    carve(JOB, 10, most);
    assertThat(carve(JOB, 10, most).granted()).isTrue();
    assertThat(table.report().carved()).hasSize(1);
    assertThat(carve(JOB, 11, PROFILE).granted()).isTrue();
  }

  @Test
  @Behaviour("F3: a slot request without an index is carved from the remaining budget")
  void refusesConflictingCarving() {
    carve(JOB, 10, HALF);
    assertThat(text(carve(JOB, 10, PROFILE).reason())).contains("has a slot of 0.5 cpu");
    assertThat(carve(OTHER, 10, HALF).occupant()).contains(occupant(JOB, 10));
    assertThat(text(allocate(0, JOB, 10, 0).reason())).contains("has a slot of 0.5 cpu");
    allocate(0, JOB, 11, 0);
    assertThat(text(carve(JOB, 11, PROFILE).reason())).contains("has slot 0");
    assertThat(carve(JOB, 12, ResourceProfile.UNSPECIFIED).granted()).isFalse();
  }

  @Test
  void freedCarvedSlotReturnsItsResources() {
    carve(JOB, 10, PROFILE.times(3));
    assertThat(carve(OTHER, 11, HALF).granted()).isFalse();
    table.release(allocation(10));
    assertThat(carve(OTHER, 11, HALF).granted()).isFalse();
    assertThat(carve(JOB, 10, PROFILE.times(3)).granted()).isFalse();

    table.free(allocation(10));

    assertThat(table.report().carved()).isEmpty();
    assertThat(table.hasNothingOf(JOB)).isTrue();
    assertThat(carve(OTHER, 11, PROFILE.times(3)).granted()).isTrue();
  }

  @Test
  void externalResourcesAreCarvedToo() {
    SlotTable gpus =
        new SlotTable(
            2, new ResourceProfile(2, 200, 0, 0, 0, Map.of("gpu", 1L)), Map.of(), TIMEOUT);
    ResourceProfile one = new ResourceProfile(0.5, 10, 0, 0, 0, Map.of("gpu", 1L));
    assertThat(gpus.carve(occupant(JOB, 10), one, 0).granted()).isTrue();
    assertThat(text(gpus.carve(occupant(JOB, 11), one, 0).reason())).contains("1 gpu too little");
  }

  @Test
  void eachOccupiedSlotHasItsOwnExternalResources() {
    ExternalResourceInfo zero = ExternalResourceInfo.ofIndex("0");
    ExternalResourceInfo one = ExternalResourceInfo.ofIndex("1");
    SlotTable gpus =
        new SlotTable(
            2,
            new ResourceProfile(2, 200, 0, 0, 0, Map.of("gpu", 2L)),
            Map.of("gpu", List.of(zero, one)),
            TIMEOUT);
    ResourceProfile single = new ResourceProfile(0.5, 10, 0, 0, 0, Map.of("gpu", 1L));

    gpus.carve(occupant(JOB, 10), single, 0);
    gpus.allocate(0, occupant(OTHER, 11), ResourceProfile.UNSPECIFIED, 0);

    assertThat(gpus.resources(allocation(10)).external()).containsExactly(gpu(zero));
    assertThat(gpus.resources(allocation(11)).external()).containsExactly(gpu(one));
    assertThat(gpus.resources(allocation(12)).external()).isEmpty();

    gpus.release(allocation(10));
    gpus.free(allocation(10));
    gpus.carve(occupant(OTHER, 12), single, 0);
    assertThat(gpus.resources(allocation(10)).external()).isEmpty();
    assertThat(gpus.resources(allocation(12)).external()).containsExactly(gpu(zero));
  }

  private static Map.Entry<String, List<ExternalResourceInfo>> gpu(ExternalResourceInfo info) {
    return Map.entry("gpu", List.of(info));
  }

  @Test
  void eachSlotHasItsShareOfManagedMemory() {
    SlotTable withManagedMemory =
        new SlotTable(2, new ResourceProfile(2, 200, 0, 100, 0), Map.of(), TIMEOUT);
    withManagedMemory.allocate(0, occupant(JOB, 10), ResourceProfile.UNSPECIFIED, 0);
    withManagedMemory.carve(occupant(JOB, 11), new ResourceProfile(0.5, 10, 0, 30, 0), 0);

    ManagedMemory share = withManagedMemory.resources(allocation(10)).managed();
    assertThat(share.bytes()).isEqualTo(50);
    assertThat(withManagedMemory.resources(allocation(10)).managed()).isSameAs(share);
    assertThat(withManagedMemory.resources(allocation(11)).managed().bytes()).isEqualTo(30);

    withManagedMemory.release(allocation(10));
    withManagedMemory.free(allocation(10));
    withManagedMemory.allocate(0, occupant(JOB, 12), ResourceProfile.UNSPECIFIED, 0);
    assertThat(withManagedMemory.resources(allocation(12)).managed()).isNotSameAs(share);
  }

  private SlotReply carve(JobId job, int allocation, ResourceProfile size) {
    return table.carve(occupant(job, allocation), size, 0);
  }

  private SlotReply allocate(int slot, JobId job, int allocation, long now) {
    return table.allocate(slot, occupant(job, allocation), PROFILE, now);
  }

  private static Occupant occupant(JobId job, int allocation) {
    return new Occupant(allocation(allocation), job);
  }

  private static AllocationId allocation(int number) {
    return new AllocationId(new Id128(0, number));
  }
}
