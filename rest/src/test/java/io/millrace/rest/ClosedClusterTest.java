package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of one program: it shows its jobs and rejects other programs. */
class ClosedClusterTest {
  private static final String REASON = "This cluster runs another program.";

  @TempDir private Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = new FakeCluster(FakeCluster.settings(directory).refusing(REASON));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  @Behaviour("C4: a per-job or application cluster refuses other submissions and jar uploads")
  void rejectsAllSubmissionsWithReason() {
    byte[] blob = new byte[3 << 20];
    String path = "/blobs/" + BlobKey.of(Bytes.wrap(blob.clone()));
    for (Answer answer :
        List.of(
            cluster.send("POST", "/jobs", "{}"),
            cluster.send("POST", "/v1/jobs", "{}"),
            cluster.send("PUT", path, blob),
            cluster.send("POST", "/jars/upload", blob),
            cluster.send("POST", "/jars/some.jar/run", ""))) {
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.error()).isEqualTo(REASON);
    }
    assertThat(cluster.blobs).isEmpty();
    assertThat(cluster.dispatcher.received).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void showsAndCancelsRunningJobs() {
    assertThat(cluster.get("/jobs/" + SampleJobs.RUNNING).status()).isEqualTo(200);
    assertThat(cluster.get("/jars").status()).isEqualTo(200);
    assertThat(cluster.send("PATCH", "/jobs/" + SampleJobs.RUNNING, "").status()).isEqualTo(202);
  }

  @Test
  void configForDashboardsDisablesSubmission() {
    assertThat(cluster.get("/config").json().getJsonObject("features").getBoolean("web-submit"))
        .isFalse();
  }
}
