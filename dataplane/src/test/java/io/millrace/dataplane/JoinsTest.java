package io.millrace.dataplane;

import static io.millrace.dataplane.WindowsTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.IntervalJoin;
import io.millrace.api.JoinedStreams;
import io.millrace.api.function.Collector;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessJoinFunction;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Joins of random streams deliver what nested loops over both lists deliver. A failure names its
 * seed.
 */
class JoinsTest {
  private static final int SEEDS = TestBackends.seeds(25);
  private static TestHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new TestHosts(3);
  }

  @AfterAll
  static void close() {
    hosts.close();
  }

  private static String id(Event event) {
    return event == null ? "none" : String.valueOf(event.id());
  }

  private static String pair(Event first, Event second) {
    return id(first) + " " + id(second);
  }

  /** The ids of a group, those of the second stream negative. */
  private static void group(Iterable<Event> first, Iterable<Event> second, Collector<String> out) {
    List<Integer> ids = new ArrayList<>();
    first.forEach(event -> ids.add(event.id()));
    second.forEach(event -> ids.add(event.id()));
    ids.sort(null);
    out.emit(ids.toString());
  }

  private static <K> JoinedStreams<Event, Event>.WithWindow<K> outer(
      JoinedStreams<Event, Event>.WithWindow<K> join, int outer) {
    return switch (outer) {
      case 0 -> join;
      case 1 -> join.leftOuter();
      case 2 -> join.rightOuter();
      default -> join.fullOuter();
    };
  }

  @Test
  @Behaviour("H1: window joins and co-groups give the results of a naive model")
  void windowJoinsGiveTheResultsOfNestedLoops() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = 4000L + i;
      RandomStreams streams = RandomStreams.of(seed, 350);
      Random random = streams.random();
      WindowAssigner assigner = WindowsTest.assigner(random, true);
      int outer = random.nextInt(4);
      TestRun run =
          hosts.run(
              seed,
              random,
              env -> {
                DataStream<Event> first = streams.first(env);
                DataStream<Event> second = streams.second(env);
                outer(
                        first.join(second).where(Event::key).equalTo(Event::key).window(assigner),
                        outer)
                    .apply(JoinsTest::pair)
                    .collectAs("pairs");
                first
                    .coGroup(second)
                    .where(Event::key)
                    .equalTo(Event::key)
                    .window(assigner)
                    .apply(JoinsTest::group)
                    .collectAs("groups");
              });

      List<Event> both = new ArrayList<>(streams.first());
      both.addAll(streams.second());
      List<String> pairs = new ArrayList<>();
      List<String> groups = new ArrayList<>();
      for (String fired : WindowModel.of(assigner, 0, both).fired) {
        String ids = fired.substring(fired.indexOf('['));
        groups.add(ids);
        List<Integer> all =
            Arrays.stream(ids.substring(1, ids.length() - 1).split(", "))
                .map(Integer::valueOf)
                .toList();
        addPairs(all, outer, pairs);
      }
      String about = "seed " + seed + ": " + assigner + ", outer " + outer;
      assertThat(sorted(run.collected("groups"))).as(about).isEqualTo(sorted(groups));
      assertThat(sorted(run.collected("pairs"))).as(about).isEqualTo(sorted(pairs));
    }
  }

  private static void addPairs(List<Integer> ids, int outer, List<String> pairs) {
    List<Integer> first = ids.stream().filter(id -> id < RandomStreams.SECOND).toList();
    List<Integer> second = ids.stream().filter(id -> id >= RandomStreams.SECOND).toList();
    for (int left : first) {
      second.forEach(right -> pairs.add(left + " " + right));
      if (second.isEmpty() && (outer & 1) != 0) {
        pairs.add(left + " none");
      }
    }
    if (first.isEmpty() && (outer & 2) != 0) {
      second.forEach(right -> pairs.add("none " + right));
    }
  }

  /** Checks the timestamps of a pair. */
  private static void timed(
      Event left, Event right, ProcessJoinFunction.Context context, Collector<String> out) {
    if (left != null) {
      assertThat(context.leftTimestamp()).isEqualTo(left.time());
    }
    if (right != null) {
      assertThat(context.rightTimestamp()).isEqualTo(right.time());
    }
    if (left != null && right != null) {
      assertThat(context.timestamp()).isEqualTo(Math.max(left.time(), right.time()));
    }
    out.emit(pair(left, right));
  }

  @Test
  @Behaviour("H1: interval joins, inner and outer, give the results of a naive model")
  void intervalJoinsGiveTheResultsOfNestedLoops() {
    for (int i = 0; i < 2 * SEEDS; i++) {
      long seed = 5000L + i;
      RandomStreams streams = RandomStreams.of(seed, 350);
      Random random = streams.random();
      int outer = random.nextInt(4);
      int lower = random.nextInt(400) - 200;
      int upper = lower + random.nextInt(200) + 2;
      boolean lowerExclusive = random.nextBoolean();
      boolean upperExclusive = random.nextBoolean();
      TestRun run =
          hosts.run(
              seed,
              random,
              env -> {
                IntervalJoin<Event, Event, Object>.Between join =
                    streams
                        .first(env)
                        .keyBy(Event::key)
                        .intervalJoin(streams.second(env).keyBy(Event::key))
                        .between(Duration.ofMillis(lower), Duration.ofMillis(upper));
                if (lowerExclusive) {
                  join.lowerBoundExclusive();
                }
                if (upperExclusive) {
                  join.upperBoundExclusive();
                }
                TwoInputPrograms.outer(join, outer).process(JoinsTest::timed).collectAs("pairs");
              });

      long from = lower + (lowerExclusive ? 1L : 0L);
      long to = upper - (upperExclusive ? 1L : 0L);
      List<String> pairs = new ArrayList<>();
      for (Event left : streams.first()) {
        List<Event> matches =
            streams.second().stream().filter(right -> matches(left, right, from, to)).toList();
        matches.forEach(right -> pairs.add(pair(left, right)));
        if (matches.isEmpty() && (outer & 1) != 0) {
          pairs.add(pair(left, null));
        }
      }
      if ((outer & 2) != 0) {
        streams.second().stream()
            .filter(
                right -> streams.first().stream().noneMatch(left -> matches(left, right, from, to)))
            .forEach(right -> pairs.add(pair(null, right)));
      }
      assertThat(sorted(run.collected("pairs")))
          .as("seed %s: %s to %s, outer %s", seed, from, to, outer)
          .isEqualTo(sorted(pairs));
    }
  }

  private static boolean matches(Event left, Event right, long from, long to) {
    long distance = right.time() - left.time();
    return left.key().equals(right.key()) && distance >= from && distance <= to;
  }

  /** What is late for the interval join goes aside; the rest is joined. */
  @Test
  void lateRecordsOfAnIntervalJoinGoToTheSideOutputOfTheirStream() {
    OutputTag<Event> leftLate = new OutputTag<>("left late");
    OutputTag<Event> rightLate = new OutputTag<>("right late");
    List<Event> first =
        List.of(
            new Event(1, "a", 100, 200),
            new Event(2, "a", 200, RandomEvents.NO_WATERMARK),
            new Event(3, "a", 201, RandomEvents.NO_WATERMARK));
    TestRun run =
        hosts.run(
            1,
            new Random(1),
            env -> {
              DataStream<Event> events =
                  env.fromCollection(first)
                      .parallelism(1)
                      .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                      .parallelism(1);
              // Both inputs are the same stream, so that watermarks reach both alike.
              DataStream<String> pairs =
                  events
                      .keyBy(Event::key)
                      .intervalJoin(events.keyBy(Event::key))
                      .between(Duration.ZERO, Duration.ZERO)
                      .sideOutputLeftLateData(leftLate)
                      .sideOutputRightLateData(rightLate)
                      .apply(JoinsTest::pair);
              pairs.parallelism(1);
              pairs.collectAs("pairs");
              pairs.sideOutput(leftLate).map(Event::id).collectAs("left late");
              pairs.sideOutput(rightLate).map(Event::id).collectAs("right late");
            });

    assertThat(sorted(run.collected("pairs"))).containsExactly("1 1", "3 3");
    assertThat(run.collected("left late")).isEqualTo(List.of(2));
    assertThat(run.collected("right late")).isEqualTo(List.of(2));
  }
}
