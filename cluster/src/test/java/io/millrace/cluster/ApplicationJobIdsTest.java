package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.JobId;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApplicationJobIdsTest {
  @Test
  void areTheSameInEachAttempt() {
    ApplicationJobIds first = new ApplicationJobIds("/mill");
    ApplicationJobIds second = new ApplicationJobIds("/mill");
    List<JobId> ids = List.of(first.next("a"), first.next("b"), first.next("a"));
    // In another order, as threads may submit them. Jobs with the same name keep their order.
    JobId b = second.next("b");
    assertThat(List.of(second.next("a"), b, second.next("a"))).isEqualTo(ids);
    // Literal ids: an attempt with another release must compute the same ones.
    assertThat(ids.get(0)).hasToString("da99de5382be22d81f38f99869342361");
  }

  @Test
  void differByNameNumberAndCluster() {
    ApplicationJobIds ids = new ApplicationJobIds("/mill");
    ApplicationJobIds others = new ApplicationJobIds("/mil");
    assertThat(
            List.of(
                ids.next("a"), ids.next("a"), ids.next("b"), others.next("a"), others.next("la")))
        .doesNotHaveDuplicates();
  }
}
