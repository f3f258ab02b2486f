package io.millrace.control.slotpool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlotPoolTest {
  private static final WorkerId ONE = new WorkerId("one");
  private static final WorkerId TWO = new WorkerId("two");
  private static final ResourceProfile ANY = ResourceProfile.UNSPECIFIED;
  private static final ResourceProfile SMALL = new ResourceProfile(1, 10, 0, 0, 0);
  private static final ResourceProfile LARGE = new ResourceProfile(4, 100, 0, 0, 0);

  private final SlotPool pool = new SlotPool(Duration.ofNanos(100));

  @Test
  @Behaviour("E3: requirements go up and down with the scheduler")
  void requiresOneSlotForEachOpenRequest() {
    pool.request(0, ANY);
    pool.request(1, ANY);
    pool.request(2, LARGE);
    pool.offer(ONE, List.of(slot(1, SMALL)), 0);

    assertThat(pool.requirements())
        .containsExactly(new Requirement(ANY, 2), new Requirement(LARGE, 1));
    assertThat(pool.waiting()).isEqualTo(2);

    pool.release(1, 0);
    assertThat(pool.requirements())
        .containsExactly(new Requirement(ANY, 1), new Requirement(LARGE, 1));
  }

  @Test
  @Behaviour("E3: an accepted slot serves any waiting request that its profile fits")
  void assignsAnOfferedSlotToAnyRequestItFits() {
    pool.request(0, LARGE);
    pool.request(1, SMALL);

    SlotPool.Offered offered = pool.offer(ONE, List.of(slot(1, SMALL), slot(2, LARGE)), 0);

    assertThat(offered.assignments()).extracting(SlotAssignment::request).containsExactly(1, 0);
    assertThat(pool.waiting()).isZero();
  }

  @Test
  @Behaviour("E3: a repeated offer is accepted again")
  void acceptsARepeatedOfferAndHoldsTheSlotOnce() {
    pool.request(0, ANY);
    pool.offer(ONE, List.of(slot(1, SMALL)), 0);

    SlotPool.Offered again = pool.offer(ONE, List.of(slot(1, SMALL)), 5);

    assertThat(again.accepted()).containsExactly(allocation(1));
    assertThat(again.assignments()).isEmpty();
    assertThat(pool.held()).isEqualTo(1);
  }

  @Test
  @Behaviour("E3: an offer for an allocation that is served elsewhere is refused")
  void refusesAnAllocationOfAnotherWorker() {
    pool.offer(ONE, List.of(slot(1, SMALL)), 0);

    assertThat(pool.offer(TWO, List.of(slot(1, SMALL), slot(2, SMALL)), 0).accepted())
        .containsExactly(allocation(2));
  }

  @Test
  @Behaviour(
      "E3: a slot without a request is kept for a while and then returned, also after it was used")
  void keepsAnIdleSlotUntilTheTimeout() {
    pool.offer(ONE, List.of(slot(1, SMALL)), 10);
    pool.offer(ONE, List.of(slot(2, SMALL)), 50);

    assertThat(pool.nextExpiry()).hasValue(110);
    assertThat(pool.expire(109)).isEmpty();
    assertThat(pool.expire(110))
        .extracting(AllocatedSlot::allocation)
        .containsExactly(allocation(1));
    assertThat(pool.nextExpiry()).hasValue(150);
    assertThat(pool.held()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "E3: a slot without a request is kept for a while and then returned, also after it was used")
  void slotInUseExpiresOnlyAfterItsRelease() {
    pool.request(0, ANY);
    pool.offer(ONE, List.of(slot(1, SMALL)), 10);
    assertThat(pool.expire(1_000)).isEmpty();

    pool.release(0, 1_000);

    assertThat(pool.expire(1_099)).isEmpty();
    assertThat(pool.expire(1_100))
        .extracting(AllocatedSlot::allocation)
        .containsExactly(allocation(1));
  }

  @Test
  void assignsAnIdleSlotToALaterRequest() {
    pool.offer(ONE, List.of(slot(1, SMALL)), 0);

    assertThat(pool.request(7, LARGE)).isEmpty();
    assertThat(pool.request(8, SMALL)).map(SlotAssignment::request).contains(8);
    assertThat(pool.nextExpiry()).isEmpty();
  }

  @Test
  @Behaviour("E3: an accepted slot serves any waiting request that its profile fits")
  void assignsAReleasedSlotToAWaitingRequest() {
    pool.request(0, ANY);
    pool.request(1, ANY);
    pool.offer(ONE, List.of(slot(1, SMALL)), 0);

    assertThat(pool.release(0, 3)).extracting(SlotAssignment::request).containsExactly(1);
    assertThat(pool.idle()).isZero();
  }

  @Test
  void skipsAWaitingRequestThatWasReleased() {
    pool.request(0, ANY);
    pool.request(1, ANY);
    pool.release(0, 0);

    assertThat(pool.offer(ONE, List.of(slot(1, SMALL)), 0).assignments())
        .extracting(SlotAssignment::request)
        .containsExactly(1);
    assertThat(pool.waiting()).isZero();
  }

  @Test
  void skipsSeveralReleasedRequestsInARow() {
    pool.request(0, ANY);
    pool.request(1, ANY);
    pool.request(2, ANY);
    pool.release(0, 0);
    pool.release(1, 0);

    assertThat(pool.offer(ONE, List.of(slot(1, SMALL)), 0).assignments())
        .extracting(SlotAssignment::request)
        .containsExactly(2);
  }

  @Test
  @Behaviour("E3: the slots of a lost TaskManager fail their tasks")
  void requestsWaitAgainWhenTheirWorkerIsLost() {
    pool.request(0, ANY);
    pool.request(1, ANY);
    pool.request(2, ANY);
    pool.offer(ONE, List.of(slot(1, SMALL), slot(2, SMALL)), 0);
    pool.offer(TWO, List.of(slot(3, SMALL)), 0);

    assertThat(pool.workerLost(ONE)).containsExactly(0, 1);
    assertThat(pool.waiting()).isEqualTo(2);
    assertThat(pool.required()).isEqualTo(3);
    assertThat(pool.held()).isEqualTo(1);
    assertThat(pool.of(ONE)).isEmpty();
  }

  @Test
  void assignsIdleSlotsToRequestsThatLostTheirSlot() {
    pool.request(0, ANY);
    pool.offer(ONE, List.of(slot(1, SMALL)), 0);
    pool.offer(TWO, List.of(slot(2, SMALL)), 0);

    assertThat(pool.slotLost(ONE, allocation(1))).contains(0);
    assertThat(pool.serveWaiting())
        .containsExactly(new SlotAssignment(0, new AllocatedSlot(allocation(2), TWO, SMALL)));
  }

  @Test
  void describesNeedsAndSlotsPerWorker() {
    pool.request(0, ANY);
    pool.request(1, ANY);
    pool.request(2, ANY);
    pool.offer(TWO, List.of(slot(3, SMALL), slot(1, SMALL)), 0);

    assertThat(pool.describe())
        .isEqualTo(
            new JobSlots(
                List.of(new JobSlots.Need(ANY.toString(), 3, 1)),
                List.of(new JobSlots.Held(TWO, 2))));
  }

  @Test
  void ignoresTheLossOfASlotItDoesNotHold() {
    pool.offer(ONE, List.of(slot(1, SMALL)), 0);

    assertThat(pool.slotLost(TWO, allocation(1))).isEqualTo(Optional.empty());
    assertThat(pool.slotLost(ONE, allocation(9))).isEqualTo(Optional.empty());
    assertThat(pool.held()).isEqualTo(1);
  }

  @Test
  void rejectsARequestThatIsOpenAndAReleaseOfOneThatIsNot() {
    pool.request(0, ANY);
    assertThatThrownBy(() -> pool.request(0, ANY)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> pool.release(1, 0)).isInstanceOf(IllegalStateException.class);
  }

  private static AllocationId allocation(long number) {
    return new AllocationId(new Id128(0, number));
  }

  @Test
  void prefersTheWaitingRequestWithTheProfileOfTheSlot() {
    pool.request(1, SMALL);
    pool.request(2, LARGE);
    assertThat(pool.offer(ONE, List.of(slot(1, LARGE)), 0).assignments())
        .extracting(SlotAssignment::request)
        .containsExactly(2);
    assertThat(pool.offer(ONE, List.of(slot(2, SMALL)), 0).assignments())
        .extracting(SlotAssignment::request)
        .containsExactly(1);
  }

  @Test
  void prefersTheIdleSlotWithTheProfileOfTheRequest() {
    pool.offer(ONE, List.of(slot(1, LARGE), slot(2, SMALL)), 0);
    assertThat(pool.request(1, SMALL).orElseThrow().slot().allocation()).isEqualTo(allocation(2));
    assertThat(pool.request(2, SMALL).orElseThrow().slot().allocation()).isEqualTo(allocation(1));
  }

  @Test
  void requestInALargerSlotRequiresTheProfileOfThatSlot() {
    pool.offer(ONE, List.of(slot(1, LARGE)), 0);
    pool.request(1, SMALL);
    assertThat(pool.requirements()).containsExactly(new Requirement(LARGE, 1));
    long before = pool.changes();
    pool.request(2, LARGE);
    assertThat(pool.requirements()).containsExactly(new Requirement(LARGE, 2));
    assertThat(pool.changes()).isGreaterThan(before);

    pool.slotLost(ONE, allocation(1));
    assertThat(pool.requirements())
        .containsExactlyInAnyOrder(new Requirement(LARGE, 1), new Requirement(SMALL, 1));
    pool.release(1, 0);
    assertThat(pool.requirements()).containsExactly(new Requirement(LARGE, 1));
  }

  private static SlotOffer slot(long number, ResourceProfile profile) {
    return new SlotOffer(allocation(number), profile);
  }
}
