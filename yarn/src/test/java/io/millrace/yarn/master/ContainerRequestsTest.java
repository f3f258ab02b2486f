package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContainerRequestsTest {
  private static final WorkerSpec DEFAULT = spec(1);
  private static final WorkerSpec LARGE = spec(8);
  private static final ContainerSize SIZE = new ContainerSize(1000, 1, Map.of());

  private final ContainerRequests requests = new ContainerRequests(DEFAULT);

  @Test
  void eachSizeHasItsOwnPriorityAndTheDefaultSizeTheFirst() {
    assertThat(requests.add(1, LARGE, SIZE, 0, 0).priority()).isEqualTo(2);
    assertThat(requests.add(2, DEFAULT, SIZE, 0, 0).priority())
        .isEqualTo(ContainerRequests.DEFAULT_PRIORITY);
    assertThat(requests.add(3, LARGE, SIZE, 0, 0).priority()).isEqualTo(2);
    assertThat(requests.add(4, spec(9), SIZE, 0, 0).priority()).isEqualTo(3);
  }

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void containerServesTheRequestThatItNames() {
    requests.add(1, DEFAULT, SIZE, 0, 0);
    requests.sent();
    requests.add(2, DEFAULT, SIZE, 0, 0);
    assertThat(requests.serve(2, ContainerRequests.DEFAULT_PRIORITY))
        .map(PendingRequest::request)
        .contains(2L);
    assertThat(requests.serve(2, ContainerRequests.DEFAULT_PRIORITY)).isEmpty();
    assertThat(requests.pending()).extracting(PendingRequest::request).containsExactly(1L);
  }

  @Test
  void containerWithoutANumberServesTheOldestOfItsPriority() {
    requests.add(1, LARGE, SIZE, 0, 0);
    requests.add(2, DEFAULT, SIZE, 0, 0);
    requests.add(3, DEFAULT, SIZE, 0, 0);
    assertThat(requests.serve(-1, ContainerRequests.DEFAULT_PRIORITY))
        .map(PendingRequest::request)
        .contains(2L);
    assertThat(requests.serve(-1, ContainerRequests.DEFAULT_PRIORITY))
        .map(PendingRequest::request)
        .contains(3L);
    assertThat(requests.serve(-1, ContainerRequests.DEFAULT_PRIORITY)).isEmpty();
  }

  @Test
  @Behaviour("D9: containers of one size are one request with a count for YARN")
  void requestsOfOneSizeBetweenTwoHeartbeatsAreOneBatch() {
    assertThat(requests.add(1, DEFAULT, SIZE, 0, 0).batch()).isEqualTo(1);
    assertThat(requests.add(2, DEFAULT, SIZE, 0, 0).batch()).isEqualTo(1);
    assertThat(requests.add(3, LARGE, SIZE, 0, 0).batch()).isEqualTo(3);
    assertThat(requests.add(4, LARGE, SIZE, 0, 0).batch()).isEqualTo(3);
    requests.sent();
    assertThat(requests.add(5, DEFAULT, SIZE, 0, 0).batch()).isEqualTo(5);
    assertThat(requests.serve(1, 1)).map(PendingRequest::request).contains(1L);
    assertThat(requests.serve(1, 1)).map(PendingRequest::request).contains(2L);
    assertThat(requests.serve(1, 1)).isEmpty();
    assertThat(requests.serve(3, 2)).map(PendingRequest::request).contains(3L);
  }

  @Test
  void servedRequestsAreWithdrawnWhenTheirBatchIsComplete() {
    requests.add(1, DEFAULT, SIZE, 0, 0);
    requests.add(2, DEFAULT, SIZE, 0, 0);
    requests.sent();
    requests.serve(1, 1);
    // A lower count from here could be higher than that of YARN by then.
    assertThat(requests.answered()).isEmpty();
    requests.serve(1, 1);
    assertThat(requests.answered()).containsExactly(1L, 2L);
    assertThat(requests.answered()).isEmpty();
  }

  @Test
  void servedRequestsAreWithdrawnWithACancelledOneAndAfterQuietHeartbeats() {
    for (long request = 1; request <= 5; request++) {
      requests.add(request, DEFAULT, SIZE, 0, 0);
    }
    requests.sent();
    requests.serve(1, 1);
    assertThat(requests.cancel(4)).containsExactly(1L, 4L);
    requests.serve(1, 1);
    for (int i = 0; i < ContainerRequests.QUIET_HEARTBEATS; i++) {
      assertThat(requests.answered()).isEmpty();
    }
    assertThat(requests.answered()).containsExactly(2L);
    assertThat(requests.pending()).extracting(PendingRequest::request).containsExactly(3L, 5L);
    requests.serve(1, 1);
    assertThat(requests.cancelAll()).containsExactly(5L, 3L);
    assertThat(requests.serve(1, 1)).isEmpty();
  }

  @Test
  void requestThatTheLibraryRejectsIsNotWithdrawn() {
    requests.add(1, DEFAULT, SIZE, 0, 0);
    requests.add(2, DEFAULT, SIZE, 0, 0);
    assertThat(requests.reject(1)).isPresent();
    requests.serve(1, 1);
    assertThat(requests.answered()).containsExactly(2L);
  }

  @Test
  void containerOfACancelledRequestIsSurplus() {
    requests.add(1, DEFAULT, SIZE, 0, 0);
    assertThat(requests.cancel(1)).containsExactly(1L);
    assertThat(requests.cancel(1)).isEmpty();
    assertThat(requests.serve(1, ContainerRequests.DEFAULT_PRIORITY)).isEmpty();
  }

  @Test
  void oldestRequestIsTheFirstThatIsStillPending() {
    requests.add(7, DEFAULT, SIZE, 100, 1);
    requests.add(2, DEFAULT, SIZE, 200, 2);
    assertThat(requests.oldest()).map(PendingRequest::since).contains(100L);
    requests.cancel(7);
    assertThat(requests.oldest()).map(PendingRequest::since).contains(200L);
    assertThat(requests.oldest()).map(PendingRequest::wallMillis).contains(2L);
    assertThat(requests.cancelAll()).containsExactly(2L);
    assertThat(requests.isEmpty()).isTrue();
    assertThat(requests.oldest()).isEmpty();
  }

  @Test
  void sameRequestTwiceIsRejected() {
    requests.add(1, DEFAULT, SIZE, 0, 0);
    assertThatThrownBy(() -> requests.add(1, LARGE, SIZE, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Request 1");
    assertThat(requests.pending()).extracting(PendingRequest::spec).containsExactly(DEFAULT);
  }

  @Test
  void containerWithoutANumberIsSurplusWhenOnlyOtherPrioritiesAreRequested() {
    requests.add(1, LARGE, SIZE, 0, 0);
    assertThat(requests.serve(0, ContainerRequests.DEFAULT_PRIORITY)).isEmpty();
    assertThat(requests.pending()).hasSize(1);
  }

  private static WorkerSpec spec(int cores) {
    return new WorkerSpec(new ResourceProfile(cores, 1, 1, 1, 1, Map.of()), 1);
  }
}
