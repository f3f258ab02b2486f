package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.Tick;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.SlotReport.Occupant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Slot requests that a worker refuses. */
class RefusedSlotsTest extends SlotManagerTestBase {
  @Test
  @Behaviour("D7: an allocation that is refused or not answered is retried elsewhere")
  void retriesARefusedRequestOnAnotherWorkerAndBacksOff() {
    register(A, 1, SMALL, 1);
    register(B, 2, SMALL, 1);
    RequestSlot first = requests(declare(JOB, SMALL, 1)).get(0);
    assertThat(first.worker()).isEqualTo(A);
    RequestSlot second = requests(refuse(first)).get(0);
    assertThat(second.worker()).isEqualTo(B);
    assertThat(second.allocation()).isNotEqualTo(first.allocation());

    List<SlotAction> bothRefused = refuse(second);
    assertThat(requests(bothRefused)).isEmpty();
    assertThat(text(pending(bothRefused).reason())).contains("Slot b#0 was refused: no room");
    now = slots.nextWake().orElseThrow();
    assertThat(requests(apply(new Tick()))).hasSize(1);
    assertThat(slots.usage(A).orElseThrow().free() + slots.usage(B).orElseThrow().free())
        .isEqualTo(1);
  }

  @Test
  @Behaviour("D7: an allocation that is refused or not answered is retried elsewhere")
  void wakesWhenTheRetryDelayOfARefusedSlotIsOver() {
    register(A, 1, SMALL, 1);
    RequestSlot request = requests(declare(JOB, SMALL, 1)).get(0);
    // The renewal of reasons, which has the same delay, is over after this.
    now += Duration.ofSeconds(10).toNanos();
    apply(new Tick());
    assertThat(requests(refuse(request))).isEmpty();

    assertThat(slots.nextWake()).hasValue(now + SlotState.RETRY_DELAY.toNanos());
    now += SlotState.RETRY_DELAY.toNanos();
    assertThat(requests(apply(new Tick()))).hasSize(1);
  }

  @Test
  void adoptsTheOccupantThatARefusalNames() {
    register(A, 1, SMALL, 1);
    RequestSlot request = requests(declare(JOB, SMALL, 1)).get(0);
    AllocationId otherAllocation = new AllocationId(new Id128(5, 5));
    assertThat(requests(refuse(request, new Occupant(otherAllocation, OTHER)))).isEmpty();
    assertUsage(A, 1, 0, OTHER);
    now += Duration.ofSeconds(10).toNanos();
    assertThat(requests(apply(new Tick()))).isEmpty();
    assertThat(requests(apply(new SlotFreed(A, instance(1), otherAllocation)))).hasSize(1);
  }

  @Test
  @Behaviour(
      "D7: a shortage fails with the numbers after slot.request.timeout, which starts again when"
          + " slots come")
  void repeatedRefusalsDoNotRestartTheTimeout() {
    register(A, 1, SMALL, 1);
    List<SlotAction> actions = declare(JOB, SMALL, 1);
    long started = now;
    while (failures(actions).isEmpty() && now - started < 2 * TIMEOUT.toNanos()) {
      List<RequestSlot> requests = requests(actions);
      if (requests.isEmpty()) {
        now = slots.nextWake().orElseThrow();
        actions = apply(new Tick());
      } else {
        actions = refuse(requests.get(0));
      }
    }
    assertThat(failures(actions)).hasSize(1);
    assertThat(text(failures(actions).get(0).reason())).contains("Slot a#0 was refused: no room");
    assertThat(Duration.ofNanos(now - started)).isBetween(TIMEOUT, TIMEOUT.plusSeconds(2));
  }
}
