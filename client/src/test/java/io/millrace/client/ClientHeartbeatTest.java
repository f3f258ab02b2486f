package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClientHeartbeatTest {
  private static final JobId JOB = JobId.parse("0".repeat(31) + "7");
  private static final JobId OTHER = JobId.parse("0".repeat(31) + "8");
  private static final Configuration TIED =
      Configuration.EMPTY
          .with(DeploymentOptions.SHUTDOWN_IF_ATTACHED, true)
          .with(ClientOptions.CLIENT_HEARTBEAT_INTERVAL, Duration.ofMillis(5));

  private final Ear cluster = new Ear();

  @Test
  @Behaviour(
      "A8: a tied job runs on while heartbeats arrive; pauses of the JobManager and changes of the"
          + " leader do not count as silence")
  void beatsUntilTheClusterDoesNotWantToHearMoreAlsoWhenItDoesNotAnswerAtTimes()
      throws InterruptedException {
    cluster.deaf.set(2);
    cluster.wanted.set(4);
    try (ClientHeartbeat heartbeat = ClientHeartbeat.of(cluster, TIED).orElseThrow()) {
      heartbeat.begin(JOB);
      for (int i = 0; i < 6; i++) {
        assertThat(cluster.beats.poll(60, TimeUnit.SECONDS)).isEqualTo(JOB);
      }
      cluster.wanted.set(4);
      heartbeat.begin(OTHER);
      for (int i = 0; i < 4; i++) {
        assertThat(cluster.beats.poll(60, TimeUnit.SECONDS)).isEqualTo(OTHER);
      }
    }
  }

  @Test
  void jobsOfATiedClientSayForHowLongItMayBeSilent() throws InterruptedException {
    try (ClientHeartbeat heartbeat = ClientHeartbeat.of(cluster, TIED).orElseThrow()) {
      JobGraph submitted = execute(Optional.of(heartbeat));
      assertThat(submitted.clientTimeout()).contains(Duration.ofMinutes(3));
      assertThat(cluster.beats.poll(60, TimeUnit.SECONDS)).isEqualTo(submitted.id());
    }
    assertThat(execute(Optional.empty()).clientTimeout()).isEmpty();
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
        .hasMessageContaining("client.heartbeat.interval is 5 ms")
        .hasMessageContaining("client.heartbeat.timeout 5 ms");
  }

  private JobGraph execute(Optional<ClientHeartbeat> heartbeat) {
    ClusterJobExecutor executor =
        new ClusterJobExecutor(
            cluster, List.of(), RecordDecoder::onClassPath, JobListener.NONE, heartbeat);
    try {
      new ProgramContext(executor, Configuration.EMPTY)
          .during(
              () -> {
                StreamEnvironment env = StreamEnvironment.current();
                env.fromElements(1, 2).print();
                return env.executeAsync("job");
              });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return cluster.submitted.remove();
  }

  /** Hears beats, and does not answer the first of them where it is deaf. */
  private static final class Ear implements ClusterClient {
    final BlockingQueue<JobId> beats = new LinkedBlockingQueue<>();
    final BlockingQueue<JobGraph> submitted = new LinkedBlockingQueue<>();
    final AtomicInteger deaf = new AtomicInteger();
    final AtomicInteger wanted = new AtomicInteger(Integer.MAX_VALUE);

    @Override
    public boolean heartbeat(JobId job, Duration timeout) {
      boolean heard = deaf.getAndDecrement() <= 0;
      boolean wantsMore = heard && wanted.decrementAndGet() > 0;
      // Last, because who sees it may change the rest.
      beats.add(job);
      if (!heard) {
        throw new UnreachableException("nobody there", null);
      }
      return wantsMore;
    }

    @Override
    public String address() {
      return "ear";
    }

    @Override
    public void submit(JobGraph graph, List<Path> jars) {
      submitted.add(graph);
    }

    @Override
    public List<JobOverview> jobs() {
      return List.of();
    }

    @Override
    public Optional<JobResult> awaitResult(JobId job, Duration patience) {
      return Optional.empty();
    }

    @Override
    public CancelOutcome cancel(JobId job) {
      return CancelOutcome.ACCEPTED;
    }

    @Override
    public CollectedPage collected(JobId job, String name, long next, Duration patience) {
      return new CollectedPage(true, next, List.of(), true);
    }

    @Override
    public void close() {}
  }
}
