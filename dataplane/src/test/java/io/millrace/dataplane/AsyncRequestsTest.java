package io.millrace.dataplane;

import static io.millrace.dataplane.WindowsTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.AsyncDataStream;
import io.millrace.api.DataStream;
import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.function.Collector;
import io.millrace.api.process.ProcessFunction;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Asynchronous requests whose answers come in any order, late, or after failures. */
class AsyncRequestsTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final ExecutorService THREADS = Executors.newFixedThreadPool(3);
  private static TestHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new TestHosts(2);
  }

  @AfterAll
  static void close() {
    hosts.close();
    THREADS.shutdownNow();
  }

  /** Answers requests in an order of its own: the last of a few that wait is answered first. */
  static final class Service {
    private final List<Runnable> open = new ArrayList<>();
    private final Random random = new Random(7);
    final AtomicInteger mostOpen = new AtomicInteger();
    final Map<Integer, Integer> attempts = new ConcurrentHashMap<>();

    <R> CompletionStage<List<R>> answer(List<R> results) {
      CompletableFuture<List<R>> future = new CompletableFuture<>();
      synchronized (open) {
        open.add(() -> future.complete(results));
        mostOpen.accumulateAndGet(open.size(), Math::max);
      }
      THREADS.execute(this::answerOne);
      return future;
    }

    private void answerOne() {
      Runnable next;
      synchronized (open) {
        next = open.remove(random.nextInt(open.size()));
      }
      next.run();
    }
  }

  /** Two results for each even id, none for each third one, else one. */
  private static List<Integer> results(Event event) {
    return event.id() % 3 == 0
        ? List.of()
        : event.id() % 2 == 0 ? List.of(event.id(), -event.id()) : List.of(event.id());
  }

  private record Requests(String service) implements AsyncFunction<Event, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletionStage<? extends Collection<Integer>> asyncInvoke(Event event) {
      return Fixtures.shared(service, Service.class).answer(results(event));
    }
  }

  @Test
  @Behaviour("H1: asynchronous requests deliver all results, in order if that is asked for")
  void resultsComeOnceAndInOrderIfAskedFor() {
    for (int i = 0; i < 10; i++) {
      Random random = new Random(i);
      List<Event> events = RandomEvents.bounded(random, random.nextInt(3000), 20);
      Service service = new Service();
      String name = Fixtures.share(service);
      int capacity = 1 + random.nextInt(40);
      TestRun run =
          hosts.run(
              i,
              random,
              env -> {
                DataStream<Event> all = env.fromCollection(events).parallelism(1);
                AsyncDataStream.orderedWait(all, new Requests(name), LONG, capacity)
                    .parallelism(1)
                    .collectAs("ordered")
                    .parallelism(1);
                AsyncDataStream.unorderedWait(all.rebalance(), new Requests(name), LONG, capacity)
                    .collectAs("unordered");
              });

      List<Integer> expected = events.stream().flatMap(event -> results(event).stream()).toList();
      assertThat(run.collected("ordered")).as("seed %s", i).isEqualTo(expected);
      assertThat(sorted(run.collected("unordered"))).as("seed %s", i).isEqualTo(sorted(expected));
    }
  }

  @Test
  void noMoreRecordsWaitThanTheCapacity() {
    Service service = new Service();
    String name = Fixtures.share(service);
    List<Event> events = RandomEvents.bounded(new Random(1), 2000, 20);
    hosts.run(
        1,
        new Random(1),
        env ->
            AsyncDataStream.unorderedWait(
                    env.fromCollection(events).parallelism(1), new Requests(name), LONG, 5)
                .parallelism(1)
                .collectAs("out"));

    assertThat(service.mostOpen.get()).isBetween(1, 6);
  }

  /** Notes the watermark before each result. */
  private static void late(Integer id, ProcessFunction.Context context, Collector<String> out) {
    out.emit(context.timestamp() <= context.currentWatermark() ? "late" : "in time");
  }

  @Test
  @Behaviour("H1: watermarks do not overtake records that wait for an answer")
  void watermarksDoNotOvertakeRecords() {
    for (int i = 0; i < 6; i++) {
      List<Event> events = RandomEvents.bounded(new Random(i), 1500, 30);
      String name = Fixtures.share(new Service());
      boolean ordered = i % 2 == 0;
      boolean chained = i % 3 == 0;
      TestRun run =
          hosts.run(
              i,
              new Random(i),
              env -> {
                DataStream<Event> timed =
                    env.fromCollection(events)
                        .parallelism(1)
                        .assignTimestampsAndWatermarks(RandomEvents.closelyWithin(30))
                        .parallelism(1);
                DataStream<Event> input = chained ? timed : timed.rebalance();
                (ordered
                        ? AsyncDataStream.orderedWait(input, new Requests(name), LONG, 20)
                        : AsyncDataStream.unorderedWait(input, new Requests(name), LONG, 20))
                    .parallelism(1)
                    .process(String.class, AsyncRequestsTest::late)
                    .parallelism(1)
                    .collectAs("late");
              });

      assertThat(run.collected("late")).as("seed %s", i).isNotEmpty().containsOnly("in time");
    }
  }

  /** Fails the first requests for each record. */
  private record Failing(String service, int failures) implements AsyncFunction<Event, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletionStage<? extends Collection<Integer>> asyncInvoke(Event event) {
      int attempt =
          Fixtures.shared(service, Service.class).attempts.merge(event.id(), 1, Integer::sum);
      if (attempt > failures) {
        return CompletableFuture.completedFuture(List.of(event.id()));
      }
      if (attempt % 2 == 0) {
        throw new IllegalStateException("attempt " + attempt);
      }
      return CompletableFuture.failedFuture(new IllegalStateException("attempt " + attempt));
    }
  }

  @Test
  void failedRequestsAreRetriedAndThenFailTheJob() {
    List<Event> events = RandomEvents.bounded(new Random(1), 50, 20);
    TestRun run =
        hosts.run(
            1,
            new Random(1),
            env ->
                AsyncDataStream.orderedWait(
                        env.fromCollection(events).parallelism(1),
                        new Failing(Fixtures.share(new Service()), 2),
                        LONG,
                        10,
                        AsyncRetryStrategy.exponentialBackoff(
                            3, Duration.ofMillis(1), Duration.ofMillis(2), 2))
                    .parallelism(1)
                    .collectAs("out")
                    .parallelism(1));
    assertThat(run.collected("out")).isEqualTo(events.stream().map(Event::id).toList());

    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun failed =
          TestRun.start(
                  ProgramGraphs.graph(
                      env ->
                          AsyncDataStream.orderedWait(
                                  env.fromCollection(events),
                                  new Failing(Fixtures.share(new Service()), 3),
                                  LONG,
                                  10,
                                  AsyncRetryStrategy.fixedDelay(3, Duration.ZERO))
                              .name("request")
                              .collectAs("out")),
                  host)
              .await("it fails", () -> true);
      failed.await("a failure", () -> !failed.failures().isEmpty());
      assertThat(failed.failures().get(0).message()).contains("'request'").contains("attempt 3");
      failed.cancel();
      failed.awaitEnd();
    }
  }

  /** Never answers, and has a result for that. */
  private record Silent() implements AsyncFunction<Event, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletionStage<? extends Collection<Integer>> asyncInvoke(Event event) {
      return new CompletableFuture<>();
    }

    @Override
    public Collection<Integer> timeout(Event event) {
      return List.of(-event.id());
    }
  }

  @Test
  void requestsThatTakeTooLongHaveTheResultOfTheirTimeOut() {
    List<Event> events = RandomEvents.bounded(new Random(1), 20, 20);
    TestRun run =
        hosts.run(
            1,
            new Random(1),
            env ->
                AsyncDataStream.orderedWait(
                        env.fromCollection(events).parallelism(1),
                        new Silent(),
                        Duration.ofMillis(20),
                        100)
                    .parallelism(1)
                    .collectAs("out")
                    .parallelism(1));

    assertThat(run.collected("out")).isEqualTo(events.stream().map(event -> -event.id()).toList());
  }

  /** For tests of checkpoints: answers after a moment, in any order. */
  private record Delayed() implements AsyncFunction<Event, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletionStage<? extends Collection<String>> asyncInvoke(Event event) {
      CompletableFuture<List<String>> future = new CompletableFuture<>();
      CompletableFuture.delayedExecutor(event.id() % 7, TimeUnit.MILLISECONDS)
          .execute(() -> future.complete(List.of("answer " + event.id())));
      return future;
    }
  }

  static Map<String, CheckpointTest.Program> programs() {
    Map<String, CheckpointTest.Program> programs = new LinkedHashMap<>();
    programs.put(
        "async: ordered",
        (env, events) -> AsyncDataStream.orderedWait(events.rebalance(), new Delayed(), LONG, 30));
    programs.put(
        "async: unordered, in the task of the source",
        (env, events) ->
            AsyncDataStream.unorderedWait(events, new Delayed(), LONG, 30)
                .keyBy(text -> text.length())
                .count()
                .map(counted -> counted.toString()));
    return programs;
  }

  @Test
  void capacityHoldsWithinOneCallOfTheOperatorBefore() {
    Service service = new Service();
    String name = Fixtures.share(service);
    TestRun run =
        hosts.run(
            1,
            new Random(1),
            env ->
                AsyncDataStream.orderedWait(
                        env.fromElements(1)
                            .flatMap(
                                one ->
                                    IntStream.range(0, 3000)
                                        .mapToObj(id -> new Event(id, "a", id, 0))
                                        .toList())
                            .parallelism(1),
                        new Requests(name),
                        LONG,
                        8)
                    .parallelism(1)
                    .collectAs("out")
                    .parallelism(1));

    assertThat(service.mostOpen.get()).isLessThanOrEqualTo(9);
    assertThat(run.collected("out")).hasSize(3000);
    assertThat(Collections.frequency(run.collected("out"), 2998)).isEqualTo(1);
  }
}
