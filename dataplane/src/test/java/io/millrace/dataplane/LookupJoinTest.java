package io.millrace.dataplane;

import static io.millrace.dataplane.WindowsTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.LookupJoin;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.async.LookupCache;
import io.millrace.api.function.LookupFunction;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Joins of streams with the values of another system. */
class LookupJoinTest {
  private static TestHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new TestHosts(2);
  }

  @AfterAll
  static void close() {
    hosts.close();
  }

  /** Keys have up to three values, and every fourth one has none. */
  private static List<String> values(Object key) {
    int number = Math.floorMod(key.toString().hashCode(), 4);
    return IntStream.range(0, number).mapToObj(i -> key + "/" + i).toList();
  }

  /** A system that counts its requests and fails the first ones of each key. */
  static final class Service {
    final AtomicInteger requests = new AtomicInteger();
    final Map<Object, Integer> attempts = new ConcurrentHashMap<>();
  }

  private record Blocking(String service) implements LookupFunction<Object, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Collection<String> lookup(Object key) {
      Fixtures.shared(service, Service.class).requests.incrementAndGet();
      return values(key);
    }
  }

  private record Async(String service, int failures) implements AsyncFunction<Object, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletionStage<? extends Collection<String>> asyncInvoke(Object key) {
      Service asked = Fixtures.shared(service, Service.class);
      asked.requests.incrementAndGet();
      int attempt = asked.attempts.merge(key, 1, Integer::sum);
      return CompletableFuture.supplyAsync(
          () -> {
            if (attempt <= failures) {
              throw new IllegalStateException("down");
            }
            return values(key);
          },
          ForkJoinPool.commonPool());
    }
  }

  private static String pair(Event event, String value) {
    return event.id() + " " + value;
  }

  private static List<String> expected(List<Event> events, boolean outer) {
    List<String> pairs = new ArrayList<>();
    for (Event event : events) {
      List<String> values = values(event.key());
      values.forEach(value -> pairs.add(pair(event, value)));
      if (values.isEmpty() && outer) {
        pairs.add(pair(event, null));
      }
    }
    return pairs;
  }

  @Test
  @Behaviour("H1: lookup joins, inner and left outer, give the results of a naive model")
  void lookupJoinsGiveTheResultsOfNestedLoops() {
    for (int i = 0; i < 16; i++) {
      Random random = new Random(6100 + i);
      List<Event> events = RandomEvents.bounded(random, random.nextInt(800), 50);
      boolean outer = random.nextBoolean();
      boolean async = random.nextBoolean();
      boolean ordered = random.nextBoolean();
      boolean cached = random.nextBoolean();
      int failures = async ? random.nextInt(3) : 0;
      Service service = new Service();
      String name = Fixtures.share(service);
      int parallelism = ordered ? 1 : 1 + random.nextInt(3);
      int maxKeys = 1 + random.nextInt(40);
      int capacity = 1 + random.nextInt(30);
      TestRun run =
          hosts.run(
              i,
              random,
              env -> {
                DataStream<Event> all = env.fromCollection(events).parallelism(1);
                DataStream<Event> input = random.nextBoolean() ? all : all.shuffle();
                LookupJoin<Event, Object, String> join =
                    async
                        ? input.lookupJoinAsync(Event::key, new Async(name, failures))
                        : input.lookupJoin(Event::key, new Blocking(name));
                join.capacity(capacity)
                    .retry(AsyncRetryStrategy.fixedDelay(failures + 1, Duration.ZERO));
                if (cached) {
                  join.cache(LookupCache.of(maxKeys, Duration.ofHours(1)));
                }
                if (outer) {
                  join.leftOuter();
                }
                if (!ordered) {
                  join.unordered();
                }
                join.apply(LookupJoinTest::pair)
                    .parallelism(parallelism)
                    .collectAs("pairs")
                    .parallelism(parallelism);
              });

      String about =
          "seed %s: outer %s, async %s, ordered %s, cached %s, failures %s"
              .formatted(6100 + i, outer, async, ordered, cached, failures);
      List<String> expected = expected(events, outer);
      if (ordered) {
        assertThat(run.collected("pairs")).as(about).isEqualTo(expected);
      } else {
        assertThat(sorted(run.collected("pairs"))).as(about).isEqualTo(sorted(expected));
      }
      if (!cached) {
        assertThat(service.requests.get()).as(about).isGreaterThanOrEqualTo(events.size());
      }
      long keys = events.stream().map(Event::key).distinct().count();
      if (cached && maxKeys >= keys && parallelism == 1) {
        assertThat((long) service.requests.get())
            .as("requests of %s", about)
            .isBetween(keys, keys * (failures + 1));
      }
    }
  }

  @Test
  void aFailureOfTheJoinFunctionNamesTheRecord() {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(
              ProgramGraphs.graph(
                  env ->
                      env.fromElements("CH")
                          .lookupJoin(code -> code, code -> List.of(1))
                          .apply((code, value) -> code.charAt(value + 1))
                          .collectAs("out")),
              host);
      run.await("a failure", () -> !run.failures().isEmpty());
      assertThat(run.failures().get(0).message())
          .contains("'lookup join'")
          .contains("StringIndexOutOfBounds");
      run.cancel();
      run.awaitEnd();
    }
  }

  /** For tests of checkpoints. */
  private record Slowly() implements AsyncFunction<Object, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletionStage<? extends Collection<String>> asyncInvoke(Object key) {
      return CompletableFuture.supplyAsync(() -> values(key), ForkJoinPool.commonPool());
    }
  }

  static Map<String, CheckpointTest.Program> programs() {
    Map<String, CheckpointTest.Program> programs = new LinkedHashMap<>();
    programs.put("lookup join: async, left outer, cached", LookupJoinTest::outer);
    programs.put(
        "lookup join: blocking, behind a shuffle",
        (env, events) ->
            events
                .shuffle()
                .lookupJoin(Event::key, LookupJoinTest::values)
                .apply(LookupJoinTest::pair));
    return programs;
  }

  private static DataStream<String> outer(StreamEnvironment env, DataStream<Event> events) {
    return events
        .rebalance()
        .lookupJoinAsync(Event::key, new Slowly())
        .cache(LookupCache.of(5, Duration.ofMillis(3)))
        .capacity(20)
        .leftOuter()
        .unordered()
        .apply(LookupJoinTest::pair);
  }
}
