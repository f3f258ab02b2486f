package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.AllWindowedStream;
import io.millrace.api.AsyncDataStream;
import io.millrace.api.BroadcastConnectedStream;
import io.millrace.api.CoGroupedStreams;
import io.millrace.api.ConnectedStreams;
import io.millrace.api.DataStream;
import io.millrace.api.IntervalJoin;
import io.millrace.api.JoinCondition;
import io.millrace.api.JoinedStreams;
import io.millrace.api.KeyedBroadcastConnectedStream;
import io.millrace.api.KeyedConnectedStreams;
import io.millrace.api.KeyedStream;
import io.millrace.api.LookupJoin;
import io.millrace.api.WindowedStream;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each operation of streams delivers what a naive model delivers, behind a random partitioning, in
 * jobs that are killed at random moments and go on from a checkpoint with another parallelism. A
 * failure names its seed.
 */
class OperationModelsTest {
  private static final List<Class<?>> STREAMS =
      List.of(
          DataStream.class,
          KeyedStream.class,
          WindowedStream.class,
          AllWindowedStream.class,
          ConnectedStreams.class,
          KeyedConnectedStreams.class,
          BroadcastConnectedStream.class,
          KeyedBroadcastConnectedStream.class,
          AsyncDataStream.class,
          LookupJoin.class,
          JoinedStreams.class,
          JoinedStreams.WithWindow.class,
          CoGroupedStreams.class,
          CoGroupedStreams.WithWindow.class,
          JoinCondition.class,
          JoinCondition.EqualTo.class,
          IntervalJoin.class,
          IntervalJoin.Between.class);

  /** Where records go and how operators run; and the cache of the cluster: CachedPartitionsTest. */
  private static final Set<String> NO_OPERATIONS =
      Set.of(
          "DataStream.name",
          "DataStream.description",
          "DataStream.uid",
          "DataStream.parallelism",
          "DataStream.maxParallelism",
          "DataStream.disableChaining",
          "DataStream.startNewChain",
          "DataStream.slotSharingGroup",
          "DataStream.sinkTo",
          "DataStream.print",
          "DataStream.collect",
          "DataStream.collectAs",
          "DataStream.collectAsync",
          "DataStream.executeAndCollect",
          "DataStream.cache",
          "ConnectedStreams.firstInput",
          "ConnectedStreams.secondInput");

  private static final Map<String, OperationModel> MODELS = new LinkedHashMap<>();

  static {
    MODELS.putAll(StreamModels.all());
    MODELS.putAll(WindowModels.all());
    MODELS.putAll(TwoInputModels.all());
  }

  @TempDir Path directory;

  @Test
  void everyOperationHasAModel() throws IOException {
    Set<String> operations = new TreeSet<>();
    for (Class<?> stream : STREAMS) {
      for (Method method : stream.getDeclaredMethods()) {
        if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()) {
          operations.add(stream.getSimpleName() + "." + method.getName());
        }
      }
    }
    operations.removeAll(NO_OPERATIONS);
    try (Stream<Path> files = Files.list(Path.of("../api/src/main/java/io/millrace/api/window"))) {
      files
          .map(file -> file.getFileName().toString().replace(".java", ""))
          .filter(name -> name.matches("\\w+(Windows|Trigger|Evictor)"))
          // What others of them extend.
          .filter(name -> !name.equals("ContinuousTrigger"))
          .forEach(operations::add);
    }
    assertThat(operations).hasSizeGreaterThan(80);
    Set<String> modelled = new TreeSet<>();
    MODELS.values().forEach(model -> modelled.addAll(model.operations()));
    assertThat(modelled).containsAll(operations);
  }

  @TestFactory
  @Behaviour(
      "H1: every operation delivers what a naive model delivers, whatever is killed and wherever it"
          + " goes on")
  Stream<DynamicTest> killedJobsDeliverWhatTheModelDelivers() {
    return MODELS.entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(),
                    () -> {
                      for (long seed = 1; seed <= TestBackends.seeds(3); seed++) {
                        check(entry.getValue(), seed * 31 + entry.getKey().hashCode());
                      }
                    }));
  }

  private void check(OperationModel model, long seed) {
    Random random = new Random(seed);
    Replay replay = new Replay(seed, OperationModel.EVENTS, CheckpointTest.DISORDER);
    int routing = model.needsOrder() ? 0 : random.nextInt(6);
    int[] parallelisms = new int[2 + random.nextInt(3)];
    for (int i = 0; i < parallelisms.length; i++) {
      parallelisms[i] = 1 + random.nextInt(4);
    }
    try {
      new KilledRuns(directory, random)
          .run(
              replay,
              (env, events) -> model.program().of(env, routed(routing, events)),
              parallelisms);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
    List<String> expected = model.results().apply(replay.events()).stream().sorted().toList();
    assertThat(replay.results()).as("seed %s", seed).isEqualTo(expected);
  }

  private static DataStream<Event> routed(int routing, DataStream<Event> events) {
    return switch (routing) {
      case 0 -> events;
      case 1 -> events.rebalance();
      case 2 -> events.rescale();
      case 3 -> events.shuffle();
      case 4 -> events.global();
      default -> events.partitionCustom((id, partitions) -> id / 7 % partitions, Event::id);
    };
  }
}
