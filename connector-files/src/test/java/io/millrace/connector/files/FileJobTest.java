package io.millrace.connector.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.MapFunction;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.format.jackson.CsvFormat;
import io.millrace.format.jackson.JsonFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Source and sink on an embedded cluster that takes checkpoints, with failures. */
class FileJobTest {
  @TempDir Path directory;

  record Order(int id, String customer) {}

  /** Throws at some records; static, because tasks run in this JVM. */
  private static final AtomicInteger SEEN = new AtomicInteger();

  private static final class Fails implements MapFunction<Order, Order> {
    private static final long serialVersionUID = 1L;

    @Override
    public Order map(Order order) {
      int seen = SEEN.incrementAndGet();
      if (seen == 1_500 || seen == 5_000) {
        throw new IllegalStateException("a failure that the test wants");
      }
      return order;
    }
  }

  @Test
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void jobCopiesFilesExactlyOnceThroughFailures() throws Exception {
    Path in = Files.createDirectories(directory.resolve("in/deep"));
    List<Order> expected = new ArrayList<>();
    for (int file = 0; file < 4; file++) {
      StringBuilder content = new StringBuilder("id,customer\n");
      for (int i = 0; i < 2_500; i++) {
        Order order = new Order(file * 2_500 + i, "customer " + i);
        expected.add(order);
        content.append(order.id()).append(',').append(order.customer()).append('\n');
      }
      Files.writeString(in.resolve("orders-" + file + ".csv"), content);
    }
    Path out = directory.resolve("out");
    LineFormat<Order> csv =
        LineFormat.of(CsvFormat.of(Order.class, "id", "customer")).header("id,customer");
    LineFormat<Order> json = LineFormat.of(JsonFormat.of(Order.class));
    Configuration configuration =
        Configuration.EMPTY
            .with(CheckpointingOptions.INTERVAL, "100 ms")
            .with(CheckpointingOptions.DIRECTORY, directory.resolve("checkpoints").toString())
            .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 1000)
            .with(RestartStrategyOptions.FIXED_DELAY, "10 ms");
    SEEN.set(0);
    try (EmbeddedCluster cluster = new EmbeddedCluster(configuration)) {
      ClusterJobExecutor executor =
          new ClusterJobExecutor(
              cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
      new ProgramContext(executor, configuration)
          .during(
              () -> {
                StreamEnvironment env = StreamEnvironment.current().parallelism(2);
                env.fromSource(
                        FileSource.of(csv, directory + "/in").splitSize(new MemorySize(8192)),
                        "orders")
                    .map(new Fails())
                    .sinkTo(
                        FileSink.to(out.toString(), json)
                            .bucketBy((order, time) -> "kind=" + order.id() % 2)
                            .partNames("orders", ".json")
                            .compression(Compression.ZSTD)
                            .withSuccessMarker());
                return env.executeAsync("copy");
              })
          .result()
          .get(180, TimeUnit.SECONDS);
    }
    assertThat(SEEN.get()).isGreaterThan(10_000);
    assertThat(out.resolve("_SUCCESS")).exists();
    assertThat(out.resolve(".pending")).doesNotExist();
    assertThat(FileRoundTrip.readOnce(FileSource.of(json, out + "/kind=*/*.json.zst"), 2).records())
        .containsExactlyInAnyOrderElementsOf(expected);
  }
}
