package io.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.ClusterClient;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.Progress;
import io.millrace.client.RecordDecoder;
import io.millrace.client.Target;
import io.millrace.client.testing.FakeClusterClient;
import io.millrace.client.testing.TestJobs;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.CachedDataSet;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class LazyClusterClientTest {
  private final FakeClusterClient fake = new FakeClusterClient();

  @Test
  @Behaviour("A5: inside run the program is bound to the target")
  void embeddedClusterStartsInTheBackground() throws Exception {
    CountDownLatch mayStart = new CountDownLatch(1);
    ClusterClient lazy =
        open(
            () -> {
              await(mayStart);
              return fake;
            });
    CompletableFuture<String> address = CompletableFuture.supplyAsync(lazy::address);
    assertThat(address).isNotDone();
    mayStart.countDown();
    assertThat(address.get(60, TimeUnit.SECONDS)).isEqualTo(FakeClusterClient.ADDRESS);
    lazy.close();
    assertThat(fake.isClosed()).isTrue();
  }

  @Test
  void clusterThatOutlivesTheClientIsOpenedAtOnce() {
    ClusterClient client =
        LazyClusterClient.of(
            new FakeTarget(true, () -> fake), Configuration.EMPTY, Progress.SILENT);
    assertThat(client).isSameAs(fake);
  }

  @Test
  void passesAllRequestsOn() {
    fake.runJobs();
    DataSetId dataSet = new DataSetId(new Id128(1, 2));
    CachedDataSet cached = new CachedDataSet(dataSet, new JobId(new Id128(3, 4)), 1, List.of("w"));
    fake.keep(cached);
    CollectedPage page = new CollectedPage(true, 5, List.of(Bytes.utf8("x")), true);
    fake.thenCollects(page);
    try (ClusterClient lazy = open(() -> fake)) {
      JobId job =
          TestJobs.submit(
                  new ClusterJobExecutor(
                      lazy, List.of(), RecordDecoder::onClassPath, JobListener.NONE),
                  "job")
              .id();
      assertThat(fake.submitted()).hasSize(1);
      assertThat(lazy.jobs()).hasSize(1);
      assertThat(lazy.job(job)).isPresent();
      assertThat(lazy.awaitResult(job, Duration.ZERO)).isEmpty();
      assertThat(lazy.cancel(job)).isEqualTo(CancelOutcome.ACCEPTED);
      assertThat(lazy.awaitResult(job, Duration.ofMinutes(1)).orElseThrow().status())
          .isEqualTo(JobStatus.CANCELED);
      assertThat(lazy.collected(job, "out", 5, Duration.ZERO)).isEqualTo(page);
      assertThat(lazy.dataSet(dataSet)).contains(cached);
      lazy.releaseDataSet(dataSet);
      assertThat(fake.released()).containsExactly(dataSet);
    }
  }

  @Test
  void errorOfTheStartIsThatOfTheFirstRequest() {
    ClusterClient lazy =
        open(
            () -> {
              throw new MillraceException(ErrorKind.USER, "The port is in use.");
            });
    assertThatThrownBy(lazy::jobs)
        .isInstanceOf(MillraceException.class)
        .hasMessage("The port is in use.");
    lazy.close();
  }

  @Test
  void unexpectedErrorOfTheStartIsABug() {
    ClusterClient lazy =
        open(
            () -> {
              throw new IllegalStateException("no state");
            });
    assertThatThrownBy(lazy::address)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.BUG))
        .hasMessageStartingWith("The cluster could not start: ")
        .hasMessageContaining("no state");
  }

  @Test
  void missingLibraryOfTheStartIsReportedToo() {
    ClusterClient lazy =
        open(
            () -> {
              throw new NoClassDefFoundError("some/Library");
            });
    assertThatThrownBy(lazy::address).hasMessageContaining("some/Library");
  }

  @Test
  void clusterIsClosedOnce() {
    CloseCounter counter = new CloseCounter();
    LazyClusterClient lazy =
        (LazyClusterClient)
            LazyClusterClient.of(
                new FakeTarget(false, () -> fake.onClose(counter::count)),
                Configuration.EMPTY,
                Progress.SILENT);
    lazy.address();
    lazy.closeWithinBound();
    lazy.close();
    assertThat(counter.count).isEqualTo(1);
  }

  @Test
  void requestAfterAnInterruptDoesNotReturn() throws Exception {
    LazyClusterClient lazy = (LazyClusterClient) open(() -> fake);
    lazy.address();
    lazy.closeWithinBound();
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread program = new Thread(() -> answer.complete(lazy.address()), "program");
    program.setDaemon(true);
    program.start();
    awaitParked(program);
    assertThat(answer).isNotDone();
  }

  private static void awaitParked(Thread thread) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (thread.getState() != Thread.State.WAITING) {
      assertThat(System.nanoTime()).as("the thread waits").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private static ClusterClient open(Opening opening) {
    return LazyClusterClient.of(
        new FakeTarget(false, opening), Configuration.EMPTY, Progress.SILENT);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static final class CloseCounter {
    private int count;

    private void count() {
      count++;
    }
  }

  private interface Opening {
    ClusterClient open();
  }

  private record FakeTarget(boolean outlivesClient, Opening opening) implements Target {
    @Override
    public String name() {
      return "fake";
    }

    @Override
    public ClusterClient open(Configuration configuration) {
      return opening.open();
    }
  }
}
