package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The REST server of a JobManager while another one leads. */
class StandbyRedirectTest {
  private final AtomicReference<Optional<String>> leader = new AtomicReference<>(Optional.empty());

  @TempDir private Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = new FakeCluster(FakeCluster.settings(directory), leader::get);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  @Behaviour("B4: REST of a standby redirects to the leading JobManager")
  void redirectsEachRequestWhileAnotherOneLeads() {
    leader.set(Optional.of("other:8081"));
    Answer got = cluster.get("/v1/jobs/overview?a=b%20c");
    assertThat(got.status()).isEqualTo(307);
    assertThat(got.header("Location")).isEqualTo("http://other:8081/v1/jobs/overview?a=b%20c");
    assertThat(got.error()).contains("Another JobManager leads");
    byte[] large = new byte[3 << 20];
    assertThat(cluster.send("POST", "/jars/upload", large).status()).isEqualTo(307);
    assertThat(cluster.get("/unknown").status()).isEqualTo(307);
    assertThat(cluster.dispatcher.received).isEmpty();
    assertThat(directory).isEmptyDirectory();

    leader.set(Optional.empty());
    assertThat(cluster.get("/v1/jobs/overview").status()).isEqualTo(200);
  }
}
