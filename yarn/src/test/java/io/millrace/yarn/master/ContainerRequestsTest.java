package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContainerRequestsTest {
  private static final WorkerSpec USUAL = spec(1);
  private static final WorkerSpec LARGE = spec(8);
  private static final ContainerSize SIZE = new ContainerSize(1000, 1, Map.of());

  private final ContainerRequests requests = new ContainerRequests(USUAL);

  @Test
  void givesEachSizeItsOwnPriorityAndTheUsualOneTheFirst() {
    assertThat(requests.add(1, LARGE, SIZE, 0).priority()).isEqualTo(2);
    assertThat(requests.add(2, USUAL, SIZE, 0).priority()).isEqualTo(ContainerRequests.USUAL);
    assertThat(requests.add(3, LARGE, SIZE, 0).priority()).isEqualTo(2);
    assertThat(requests.add(4, spec(9), SIZE, 0).priority()).isEqualTo(3);
  }

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void containerServesTheRequestItNames() {
    requests.add(1, USUAL, SIZE, 0);
    requests.add(2, USUAL, SIZE, 0);
    assertThat(requests.served(2, ContainerRequests.USUAL))
        .map(PendingRequest::request)
        .contains(2L);
    assertThat(requests.served(2, ContainerRequests.USUAL)).isEmpty();
    assertThat(requests.pending()).extracting(PendingRequest::request).containsExactly(1L);
  }

  @Test
  void containerWithoutANumberServesTheOldestOfItsPriority() {
    requests.add(1, LARGE, SIZE, 0);
    requests.add(2, USUAL, SIZE, 0);
    requests.add(3, USUAL, SIZE, 0);
    assertThat(requests.served(-1, ContainerRequests.USUAL))
        .map(PendingRequest::request)
        .contains(2L);
    assertThat(requests.served(-1, ContainerRequests.USUAL))
        .map(PendingRequest::request)
        .contains(3L);
    assertThat(requests.served(-1, ContainerRequests.USUAL)).isEmpty();
  }

  @Test
  void containerOfACancelledRequestIsOneTooMany() {
    requests.add(1, USUAL, SIZE, 0);
    assertThat(requests.cancel(1)).isPresent();
    assertThat(requests.cancel(1)).isEmpty();
    assertThat(requests.served(1, ContainerRequests.USUAL)).isEmpty();
  }

  @Test
  void remembersSinceWhenTheOldestWaits() {
    requests.add(1, USUAL, SIZE, 100);
    requests.add(2, USUAL, SIZE, 200);
    requests.cancel(1);
    assertThat(requests.since()).hasValue(200);
    assertThat(requests.takeAll()).hasSize(1);
    assertThat(requests.isEmpty()).isTrue();
    assertThat(requests.since()).isEmpty();
  }

  private static WorkerSpec spec(int cores) {
    return new WorkerSpec(new ResourceProfile(cores, 1, 1, 1, 1, Map.of()), 1);
  }
}
