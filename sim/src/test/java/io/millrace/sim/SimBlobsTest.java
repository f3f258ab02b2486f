package io.millrace.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SimBlobsTest {
  private final SimBlobs blobs = new SimBlobs();

  /**
   * A leader ended after it had removed the entry of an ended job and before it deleted the graph.
   * The next leader had been a standby since before the job was submitted.
   */
  @Test
  void standbyThatBecomesTheLeaderDeletesWhatItsPredecessorHasLeft() throws IOException {
    SimBlobs.View leader = blobs.view(blobs.shared());
    SimBlobs.View standby = blobs.view(blobs.shared());
    BlobKey left = leader.put(Bytes.utf8("left"));
    BlobKey needed = leader.put(Bytes.utf8("needed"));

    standby.beginTerm();
    BlobKey uploaded = standby.put(Bytes.utf8("uploaded"));
    standby.clearRemains(Set.of(needed));
    assertThat(blobs.keys()).containsExactly(needed, uploaded);

    leader.beginTerm();
    leader.clearRemains(Set.of());
    assertThat(blobs.keys()).as("the former leader leads again").isEmpty();
    assertThat(leader.contains(left)).isFalse();
  }
}
