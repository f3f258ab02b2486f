package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.WindowedStream;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.sink.TextFileSink;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs on an embedded cluster, with the messages of real clusters. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EmbeddedClusterTest {
  private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();

  @Test
  void countsWords() throws Exception {
    List<String> counts =
        run(
            Configuration.EMPTY,
            () -> {
              StreamEnvironment env =
                  StreamEnvironment.current().parallelism(3).runtimeMode(RuntimeMode.BATCH);
              return env.fromElements("to be or not to be", "to mill")
                  .flatMap(line -> List.of(line.split(" ", -1)))
                  .keyBy(word -> word)
                  .count()
                  .map(counted -> counted.key() + " " + counted.count())
                  .collect()
                  .toList();
            });
    assertThat(counts).containsExactlyInAnyOrder("to 3", "be 2", "or 1", "not 1", "mill 1");
  }

  @Test
  @Behaviour("H4: a job with checkpoints ends with one more checkpoint, which commits the rest")
  void textFilesAreCommittedWithCheckpoints(@TempDir Path directory) throws Exception {
    writesFiles(directory, "50 ms");
  }

  @Test
  @Behaviour("H4: bounded input ends with a checkpoint at once, whatever the interval is")
  void endOfInputDoesNotWaitForTheCheckpointInterval(@TempDir Path directory) throws Exception {
    writesFiles(directory, "10 min"); // The test has less time.
  }

  private static void writesFiles(Path directory, String interval) throws Exception {
    Path output = directory.resolve("output");
    JobExecutionResult result =
        run(
            Configuration.EMPTY
                .with(CheckpointingOptions.INTERVAL, interval)
                .with(CheckpointingOptions.DIRECTORY, directory.resolve("checkpoints").toString()),
            () -> {
              StreamEnvironment env = StreamEnvironment.current().parallelism(2);
              env.generate(GeneratorSource.of(index -> index).count(500).perSecond(1000))
                  .rebalance()
                  .sinkTo(TextFileSink.to(output.toString()));
              return env.execute("files");
            });
    assertThat(result.status()).isEqualTo(JobStatus.FINISHED);
    List<Long> written = new ArrayList<>();
    try (Stream<Path> parts = Files.list(output)) {
      for (Path part : parts.toList()) {
        assertThat(part.getFileName().toString()).matches("part-[01]-\\d+");
        Files.readAllLines(part).forEach(line -> written.add(Long.parseLong(line)));
      }
    }
    assertThat(written)
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 500).boxed().toList());
  }

  @Test
  void functionsThatReturnTheirResultsWorkInWindows() throws Exception {
    List<String> seen =
        run(
            Configuration.EMPTY,
            () -> {
              StreamEnvironment env = StreamEnvironment.current().runtimeMode(RuntimeMode.BATCH);
              WindowedStream<Long, Long> windows =
                  env.generate(index -> index, 20)
                      .assignTimestampsAndWatermarks(
                          WatermarkStrategy.forMonotonousTimestamps()
                              .withTimestampAssigner((number, before) -> number))
                      .keyBy(number -> number % 2)
                      .window(TumblingEventTimeWindows.of(Duration.ofMillis(10)));
              DataStream<String> records =
                  windows.process((key, window, all) -> "p" + key + window.start() + count(all));
              DataStream<String> reduced =
                  windows.reduce(Long::sum, (key, window, sum) -> "r" + key + window.end() + sum);
              return records.union(reduced).collect().toList();
            });
    assertThat(seen)
        .containsExactlyInAnyOrder(
            "p005", "p0105", "p105", "p1105", "r01020", "r02070", "r11025", "r12075");
  }

  private static long count(Iterable<Long> all) {
    return StreamSupport.stream(all.spliterator(), false).count();
  }

  @Test
  void reportsFlatMapThatReturnsNull() {
    assertThatThrownBy(
            () ->
                run(
                    Configuration.EMPTY,
                    () ->
                        StreamEnvironment.current()
                            .fromElements("one")
                            .flatMap(text -> (List<String>) null)
                            .collect()
                            .toList()))
        .hasMessageContaining("Return an empty list");
  }

  @Test
  @Behaviour(
      "A6: execute clears the collected transformations, so that one main can run several jobs")
  void runsSeveralJobsOfOneProgramOnTheSameCluster() throws Exception {
    List<Integer> sizes =
        run(
            Configuration.EMPTY,
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              List<Integer> seen = new ArrayList<>();
              for (int parallelism : new int[] {1, 4, 2}) {
                env.parallelism(parallelism);
                seen.add(
                    env.fromElements(1, 2, 3)
                        .rebalance()
                        .map(x -> x + 1)
                        .collect()
                        .toList()
                        .size());
              }
              return seen;
            });
    assertThat(sizes).containsExactly(3, 3, 3);
  }

  @Test
  void hasResourcesThatFirstJobDeclares() throws Exception {
    SlotSharingGroup more =
        SlotSharingGroup.newBuilder("more")
            .cpuCores(100)
            .taskHeapMemory(MemorySize.parse("1tb"))
            .managedMemoryMB(64)
            .externalResource("gpu", 1)
            .build();
    List<Integer> seen =
        run(
            Configuration.EMPTY,
            () ->
                StreamEnvironment.current()
                    .parallelism(2)
                    .fromElements(1, 2, 3)
                    .slotSharingGroup(more)
                    .collect()
                    .toList());
    assertThat(seen).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void namesFailedOperator() {
    assertThatThrownBy(
            () ->
                run(
                    Configuration.EMPTY,
                    () -> {
                      StreamEnvironment env = StreamEnvironment.current();
                      env.fromElements("12", "twelve")
                          .map(Integer::parseInt)
                          .name("parse")
                          .sinkTo(new DiscardSink<>());
                      return env.execute("numbers");
                    }))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("parse")
        .hasMessageContaining("twelve");
  }

  @Test
  void rejectsJobWithoutSink() {
    assertThatThrownBy(
            () ->
                run(
                    Configuration.EMPTY,
                    () -> {
                      StreamEnvironment env = StreamEnvironment.current();
                      env.fromElements(1, 2).map(x -> x + 1);
                      return env.execute("for nothing");
                    }))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Job 'for nothing' has no sink")
        .hasMessageContaining("sinkTo");
  }

  @Test
  void restartsAfterAFailure() throws Exception {
    FAILURES_LEFT.set(2);
    Configuration configuration =
        Configuration.EMPTY
            .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 2)
            .with(RestartStrategyOptions.FIXED_DELAY, Duration.ofMillis(10));
    JobExecutionResult result =
        run(
            configuration,
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              env.fromElements(1, 2, 3)
                  .map(
                      number -> {
                        if (FAILURES_LEFT.getAndDecrement() > 0) {
                          throw new IllegalStateException("not yet");
                        }
                        return number;
                      })
                  .sinkTo(new DiscardSink<>());
              return env.execute("retried");
            });
    assertThat(result.status()).isEqualTo(JobStatus.FINISHED);
  }

  @Test
  void cancelsUnboundedJob() throws Exception {
    JobExecutionResult result =
        run(
            Configuration.EMPTY,
            () -> {
              StreamEnvironment env = StreamEnvironment.current().parallelism(2);
              env.generate(index -> index)
                  .keyBy(index -> index % 10)
                  .count()
                  .sinkTo(new DiscardSink<>());
              JobClient job = env.executeAsync("endless");
              while (job.status().get() != JobStatus.RUNNING) {
                Thread.onSpinWait();
              }
              job.cancel().get();
              return job.result().get();
            });
    assertThat(result.status()).isEqualTo(JobStatus.CANCELED);
  }

  @Test
  void hasSlotsForJobDespiteConfiguration() throws Exception {
    List<Integer> seen =
        run(
            Configuration.EMPTY.with(TaskManagerOptions.NUM_TASK_SLOTS, 1),
            () ->
                StreamEnvironment.current()
                    .parallelism(5)
                    .fromElements(1, 2, 3)
                    .rebalance()
                    .map(x -> x + 1)
                    .collect()
                    .toList());
    assertThat(seen).containsExactlyInAnyOrder(2, 3, 4);
  }

  @Test
  void rejectsLaterJobThatNeedsMoreSlots() {
    assertThatThrownBy(
            () ->
                run(
                    Configuration.EMPTY.with(TaskManagerOptions.NUM_TASK_SLOTS, 600),
                    () -> {
                      StreamEnvironment env = StreamEnvironment.current();
                      env.parallelism(1).fromElements(1).collect().toList();
                      return env.parallelism(601).fromElements(1).collect().toList();
                    }))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("needs 601 slots")
        .hasMessageContaining("started with 600")
        .hasMessageContaining("taskmanager.numberOfTaskSlots to at least 601");
  }

  @Test
  void closesAllThreads() throws Exception {
    run(Configuration.EMPTY, () -> StreamEnvironment.current().fromElements(1).collect().toList());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (threads() > 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(threads()).isZero();
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("embedded-"))
        .count();
  }

  @Test
  void rejectsJobWithTooManyChannelsForHeap() {
    int parallelism = 30_000;
    assertThatThrownBy(
            () ->
                run(
                    Configuration.EMPTY,
                    () -> {
                      StreamEnvironment env = StreamEnvironment.current().parallelism(parallelism);
                      return env.generate(index -> index, 10)
                          .keyBy(number -> number)
                          .reduce(Long::sum)
                          .collect("wide")
                          .toList();
                    }))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("channels between its tasks (30000 x 30000 from")
        .hasMessageContaining("Lower the parallelism");
  }

  private static <T> T run(Configuration configuration, Callable<T> main) throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(configuration)) {
      ClusterJobExecutor executor =
          new ClusterJobExecutor(
              cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
      return new ProgramContext(executor, configuration).during(main);
    }
  }
}
