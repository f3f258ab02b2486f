package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.JobId;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApplicationJobIdsTest {
  @Test
  void areTheSameInEveryAttempt() {
    ApplicationJobIds first = new ApplicationJobIds("/mill");
    ApplicationJobIds second = new ApplicationJobIds("/mill");
    List<JobId> ids = List.of(first.next("a"), first.next("b"), first.next("a"));
    // In another order, as threads may submit them; those of one name keep theirs.
    JobId b = second.next("b");
    assertThat(List.of(second.next("a"), b, second.next("a"))).isEqualTo(ids);
    // Written down: an attempt of another release has to find its jobs, too.
    assertThat(ids.get(0)).hasToString("da99de5382be22d81f38f99869342361");
  }

  @Test
  void differByNameByNumberAndByCluster() {
    ApplicationJobIds ids = new ApplicationJobIds("/mill");
    ApplicationJobIds others = new ApplicationJobIds("/mil");
    assertThat(
            List.of(
                ids.next("a"), ids.next("a"), ids.next("b"), others.next("a"), others.next("la")))
        .doesNotHaveDuplicates();
  }
}
