package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.testing.FakeClusterClient;
import io.millrace.client.testing.TestJobs;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class ClientHeartbeatTest {
  private static final JobId JOB = JobId.parse("0".repeat(31) + "7");
  private static final JobId OTHER = JobId.parse("0".repeat(31) + "8");
  private static final Configuration TIED =
      Configuration.EMPTY
          .with(DeploymentOptions.SHUTDOWN_IF_ATTACHED, true)
          .with(ClientOptions.CLIENT_HEARTBEAT_INTERVAL, Duration.ofMillis(5));

  private final FakeClusterClient cluster = new FakeClusterClient();

  @Test
  @Behaviour(
      "A8: a tied job runs on while heartbeats arrive; pauses of the JobManager and changes of the"
          + " leader do not count as silence")
  void sendsHeartbeatsUntilTheClusterExpectsNoMoreAndRepeatsLostOnes() throws InterruptedException {
    cluster.expectHeartbeats(2, 4);
    try (ClientHeartbeat heartbeat = ClientHeartbeat.of(cluster, TIED).orElseThrow()) {
      heartbeat.begin(JOB);
      for (int i = 0; i < 6; i++) {
        assertThat(cluster.nextHeartbeat()).isEqualTo(JOB);
      }
      cluster.expectHeartbeats(0, 4);
      heartbeat.begin(OTHER);
      for (int i = 0; i < 4; i++) {
        assertThat(cluster.nextHeartbeat()).isEqualTo(OTHER);
      }
    }
  }

  @Test
  void sendsHeartbeatsOfEachJobOnceAlsoIfItBeginsTwice() throws InterruptedException {
    cluster.expectHeartbeats(0, 2);
    try (ClientHeartbeat heartbeat = ClientHeartbeat.of(cluster, TIED).orElseThrow()) {
      heartbeat.begin(JOB);
      heartbeat.begin(JOB);
      assertThat(cluster.nextHeartbeat()).isEqualTo(JOB);
      assertThat(cluster.nextHeartbeat()).isEqualTo(JOB);
      // A second series of heartbeats would have added further ones of JOB here.
      cluster.expectHeartbeats(0, 1);
      heartbeat.begin(OTHER);
      assertThat(cluster.nextHeartbeat()).isEqualTo(OTHER);
    }
  }

  @Test
  void errorOfAHeartbeatDoesNotEndTheHeartbeats() throws InterruptedException {
    cluster.failNextHeartbeat(new IllegalStateException("an error of the client"));
    cluster.expectHeartbeats(0, 2);
    try (ClientHeartbeat heartbeat = ClientHeartbeat.of(cluster, TIED).orElseThrow()) {
      heartbeat.begin(JOB);
      for (int i = 0; i < 3; i++) {
        assertThat(cluster.nextHeartbeat()).isEqualTo(JOB);
      }
    }
  }

  @Test
  void graphOfATiedJobHasTheHeartbeatTimeout() throws InterruptedException {
    try (ClientHeartbeat heartbeat = ClientHeartbeat.of(cluster, TIED).orElseThrow()) {
      TestJobs.submit(
          new ClusterJobExecutor(
              cluster, List.of(), RecordDecoder::onClassPath, JobListener.NONE, heartbeat),
          "job");
      JobGraph submitted = cluster.nextSubmission();
      assertThat(submitted.clientTimeout()).contains(Duration.ofMinutes(3));
      assertThat(cluster.nextHeartbeat()).isEqualTo(submitted.id());
    }
  }

  @Test
  void graphOfAnyOtherJobHasNone() throws InterruptedException {
    TestJobs.submit(
        new ClusterJobExecutor(cluster, List.of(), RecordDecoder::onClassPath, JobListener.NONE),
        "job");
    assertThat(cluster.nextSubmission().clientTimeout()).isEmpty();
  }

  @Test
  void refusedJobGetsNoHeartbeats() throws InterruptedException {
    cluster.onSubmit(
        graph -> {
          throw new UnreachableException("No JobManager answers.", null);
        });
    try (ClientHeartbeat heartbeat = ClientHeartbeat.of(cluster, TIED).orElseThrow()) {
      ClusterJobExecutor executor =
          new ClusterJobExecutor(
              cluster, List.of(), RecordDecoder::onClassPath, JobListener.NONE, heartbeat);
      assertThatThrownBy(() -> TestJobs.submit(executor, "job"))
          .isInstanceOf(UnreachableException.class);
      assertThat(executor.jobs()).isEmpty();
      heartbeat.begin(OTHER);
      assertThat(cluster.nextHeartbeat()).isEqualTo(OTHER);
    }
  }

  @Test
  void onlyAnAttachedClientWhoseJobsEndWithItIsTied() {
    assertThat(ClientHeartbeat.of(cluster, Configuration.EMPTY)).isEmpty();
    assertThat(ClientHeartbeat.of(cluster, TIED.with(DeploymentOptions.ATTACHED, false))).isEmpty();
    assertThat(ClientHeartbeat.timeout(TIED)).contains(Duration.ofMinutes(3));
  }

  @Test
  void refusesAnIntervalThatIsNotShorterThanTheTimeout() {
    Configuration wrong = TIED.with(ClientOptions.CLIENT_HEARTBEAT_TIMEOUT, Duration.ofMillis(5));
    assertThatThrownBy(() -> ClientHeartbeat.of(cluster, wrong))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("client.heartbeat.interval is 5 ms")
        .hasMessageContaining("client.heartbeat.timeout 5 ms")
        .hasMessageContaining("a sixth");
  }

  @Test
  void refusesAnIntervalOfZero() {
    Configuration wrong = TIED.with(ClientOptions.CLIENT_HEARTBEAT_INTERVAL, Duration.ZERO);
    assertThatThrownBy(() -> ClientHeartbeat.of(cluster, wrong))
        .hasMessageContaining("client.heartbeat.interval");
  }
}
