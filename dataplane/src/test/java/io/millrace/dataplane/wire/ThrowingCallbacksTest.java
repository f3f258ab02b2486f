package io.millrace.dataplane.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.task.ClusterPartition;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What callbacks of the exchange throw reaches whoever waits; it does not end in a log. */
class ThrowingCallbacksTest {
  private static final Bytes SECRET = Bytes.utf8("the secret of this cluster");
  private static final LocalBufferPool BUFFERS =
      new NetworkBufferPool(new NetworkMemory(64 << 10, 4096)).reserve(window -> 2).orElseThrow();

  private final JobId job = JobId.random(new Random(1));

  private static DataTransport client() {
    return new DataTransport(DataPort.loopback(0, SECRET), (job, number) -> Optional.empty());
  }

  @Test
  void aPartitionThatCannotBeReadFailsItsReaderAlsoWithoutAMessage() throws Exception {
    try (DataTransport server =
            new DataTransport(
                DataPort.loopback(0, SECRET),
                (job, number) -> Optional.empty(),
                (partition, offset, most) ->
                    CompletableFuture.failedFuture(new IllegalStateException()));
        DataTransport client = client()) {
      ClusterPartition partition =
          new ClusterPartition(DataSetId.random(new Random(2)), job, 0, 0, 1);
      CompletableFuture<PartitionChunk> answer = client.fetch(server.address(), partition, 0);
      assertThat(answer.handle((part, failure) -> failure).get(30, TimeUnit.SECONDS))
          .isNotNull()
          .hasMessageContaining("IllegalStateException");
    }
  }

  /** There only to throw. */
  private static final class Throwing implements DataTransport.Receiver {
    @Override
    public LocalBufferPool buffers() {
      throw new AssertionError("injected");
    }

    @Override
    public boolean barrier(BarrierChannel channel, byte[] request) {
      return true;
    }

    @Override
    public boolean data(DataFrame frame) {
      throw new AssertionError("nothing is sent");
    }

    @Override
    public void lost(String from, String why) {}
  }

  @Test
  void aStreamThatCannotBeOpenedWhenItsDeploymentComesFailsItsSender() throws Exception {
    AtomicBoolean deployed = new AtomicBoolean();
    CountDownLatch asked = new CountDownLatch(1);
    BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    try (DataTransport server =
            new DataTransport(
                DataPort.loopback(0, SECRET),
                (job, number) -> {
                  asked.countDown();
                  return deployed.get() ? Optional.of(new Throwing()) : Optional.empty();
                });
        DataTransport client = client()) {
      client.open(
          server.address(),
          job,
          1,
          BUFFERS,
          new OutboundStream.Listener() {
            @Override
            public void opened() {
              failures.add("opened");
            }

            @Override
            public void credit(int edge, int producer, int consumer, int count) {}

            @Override
            public void splitRequest(int edge, int producer, int consumer, long total) {}

            @Override
            public void failed(String why) {
              failures.add(why);
            }
          });
      assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
      deployed.set(true);
      server.deploymentStarted(job, 1);
      assertThat(failures.poll(20, TimeUnit.SECONDS)).isNotNull().contains("injected");
    }
  }
}
