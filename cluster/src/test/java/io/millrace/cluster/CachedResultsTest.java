package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.CachedStream;
import io.millrace.api.Counted;
import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.Collector;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results of jobs that later jobs of the same program read, in an embedded cluster. */
class CachedResultsTest {
  /**
   * How often sources were read, by the name of the test. Static, because tasks run in this JVM.
   */
  private static final Map<String, AtomicInteger> READ = new ConcurrentHashMap<>();

  @TempDir private Path temporary;
  private Configuration configuration = Configuration.EMPTY;

  @Test
  @Behaviour(
      "H2: later jobs read a cached result at any parallelism, and its sources do not run again")
  void laterJobsReadCachedResult() throws Exception {
    run(
        cluster -> {
          StreamEnvironment env =
              StreamEnvironment.current().parallelism(3).runtimeMode(RuntimeMode.BATCH);
          CachedStream<Counted<String>> words = words(env, "later").cache();
          assertThat(words.keyBy(Counted::key).count().collect().toList())
              .extracting(counted -> counted.key() + " " + counted.count())
              .containsExactlyInAnyOrder("to 3", "be 2", "or 1", "not 1", "mill 1");
          assertThat(reads("later")).isEqualTo(2);
          assertThat(cluster.dataSet(words.dataSet()).orElseThrow().places()).hasSize(3);

          assertThat(words.map(Counted::count).collect().toList())
              .containsExactlyInAnyOrder(2L, 2L, 2L, 3L, 2L, 2L, 2L, 4L);
          // As many readers as partitions, more, and fewer.
          assertThat(words.parallelism(7).collect().toList()).hasSize(8);
          assertThat(words.parallelism(2).collect().toList()).hasSize(8);
          assertThat(reads("later")).isEqualTo(2);
          return null;
        });
  }

  @Test
  void recordsOfManyBatchesKeepTheirOrder() throws Exception {
    run(
        cluster -> {
          StreamEnvironment env = StreamEnvironment.current().parallelism(1);
          CachedStream<String> numbers =
              env.generate(index -> index + "x".repeat((int) (index % 2000)), 20_000).cache();
          List<String> first = numbers.collect().toList();
          assertThat(first).hasSize(20_000);
          assertThat(numbers.collect().toList()).isEqualTo(first);
          return null;
        });
  }

  /** Watermarks are not stored: a cached result is complete, so event time ends at once. */
  @Test
  void timestampsAreKept() throws Exception {
    run(
        cluster -> {
          StreamEnvironment env = StreamEnvironment.current().parallelism(2);
          CachedStream<Long> numbers =
              env.generate(index -> index, 1_000)
                  .assignTimestampsAndWatermarks(
                      WatermarkStrategy.forMonotonousTimestamps((Long number) -> number))
                  .cache();
          List<Long> sums = null;
          for (int job = 0; job < 2; job++) {
            List<Long> now =
                numbers
                    .keyBy(number -> number % 2)
                    .window(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                    .reduce(Long::sum)
                    .collect()
                    .toList()
                    .stream()
                    .sorted()
                    .toList();
            assertThat(now).hasSize(20);
            assertThat(sums == null ? now : sums).isEqualTo(now);
            sums = now;
          }
          return null;
        });
  }

  @Test
  @Behaviour("D10: cached partitions are released on request of the leader at every TaskManager")
  void invalidatedResultIsComputedAgain() throws Exception {
    run(
        cluster -> {
          StreamEnvironment env = StreamEnvironment.current().parallelism(2);
          CachedStream<Counted<String>> words = words(env, "invalid").cache();
          words.invalidate();
          assertThat(words.collect().toList()).hasSize(8);
          assertThat(cachedFiles()).hasSize(2);
          words.invalidate();
          assertThat(cluster.dataSet(words.dataSet())).isEmpty();
          awaitFiles(0);
          assertThat(words.collect().toList()).hasSize(8);
          assertThat(reads("invalid")).isEqualTo(4);
          env.close();
          awaitFiles(0);
          return null;
        });
  }

  @Test
  @Behaviour("H2: only a finished job keeps cached partitions, each from its last attempt")
  void failedJobKeepsNoPartitions() throws Exception {
    run(
        cluster -> {
          StreamEnvironment env = StreamEnvironment.current().parallelism(2);
          CachedStream<Counted<String>> words = words(env, "failed").cache();
          words
              .rebalance()
              .map(
                  word -> {
                    if (word.key().equals("mill")) {
                      throw new IllegalStateException("test failure");
                    }
                    return word;
                  })
              .print();
          assertThatThrownBy(env::execute).hasMessageContaining("test failure");
          assertThat(cluster.dataSet(words.dataSet())).isEmpty();
          awaitFiles(0);
          return null;
        });
  }

  /** Partitions of the restarted attempt count; those of the attempt before are deleted. */
  @Test
  @Behaviour("H2: only a finished job keeps cached partitions, each from its last attempt")
  void restartedJobKeepsEachPartitionOnce() throws Exception {
    configuration =
        configuration
            .with("restart-strategy.type", "fixed-delay")
            .with("restart-strategy.fixed-delay.delay", "10 ms");
    READ.put("fails once", new AtomicInteger());
    run(
        cluster -> {
          StreamEnvironment env = StreamEnvironment.current().parallelism(2);
          CachedStream<Counted<String>> words = words(env, "restarted").cache();
          words
              .rebalance()
              .map(
                  word -> {
                    if (READ.get("fails once").getAndIncrement() == 3) {
                      throw new IllegalStateException("once");
                    }
                    return word;
                  })
              .print();
          env.execute();
          awaitFiles(2);
          assertThat(words.collect().toList()).hasSize(8);
          return null;
        });
  }

  @Test
  void rejectsCacheOfUnboundedSource() throws Exception {
    run(
        cluster -> {
          StreamEnvironment env = StreamEnvironment.current();
          env.generate(index -> index).map(index -> index).cache().print();
          assertThatThrownBy(env::execute)
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("source 'generator' is unbounded");
          return null;
        });
  }

  private static DataStream<Counted<String>> words(StreamEnvironment env, String test) {
    READ.putIfAbsent(test, new AtomicInteger());
    return env.fromElements("to be or not to be", "to mill")
        .flatMap(
            (String line, Collector<Counted<String>> out) -> {
              READ.get(test).incrementAndGet();
              for (String word : line.split(" ", -1)) {
                out.emit(new Counted<>(word, word.length()));
              }
            });
  }

  private static int reads(String test) {
    return READ.get(test).get();
  }

  /** The cached files of all TaskManagers; files may be deleted during the listing. */
  private List<File> cachedFiles() {
    return files(temporary.toFile())
        .flatMap(process -> files(new File(process, "taskmanager/kept")))
        .toList();
  }

  private static Stream<File> files(File directory) {
    return Stream.ofNullable(directory.listFiles()).flatMap(Stream::of);
  }

  /** Files are deleted asynchronously. */
  private void awaitFiles(int count) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (cachedFiles().size() != count && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(cachedFiles()).hasSize(count);
  }

  private interface Main {
    Object run(EmbeddedCluster cluster) throws Exception;
  }

  private void run(Main main) throws Exception {
    Configuration here = configuration.with(CoreOptions.TMP_DIRS, temporary.toString());
    try (EmbeddedCluster cluster = new EmbeddedCluster(here)) {
      Callable<Object> program = () -> main.run(cluster);
      new ProgramContext(
              new ClusterJobExecutor(
                  cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE),
              here)
          .during(program);
    }
    assertThat(cachedFiles()).isEmpty();
  }
}
