package io.millrace.dataplane;

import static io.millrace.dataplane.WindowsTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.function.CoMapFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.process.BroadcastProcessFunction;
import io.millrace.api.process.CoProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Operators with two inputs over random streams, parallelisms and hosts deliver what a naive model
 * delivers. A failure names its seed.
 */
class ConnectedStreamsTest {
  private static final int SEEDS = TestBackends.seeds(25);
  private static final OutputTag<String> SIDE = new OutputTag<>("aside");
  private static final MapStateDescriptor<Object, Integer> LATEST =
      new MapStateDescriptor<>("latest");
  private static TestHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new TestHosts(3);
  }

  @AfterAll
  static void close() {
    hosts.close();
  }

  /** Tells the inputs apart, also in a side output. */
  private static final class Telling extends CoProcessFunction<Event, String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process1(Event event, CoProcessFunction.Context context, Collector<String> out) {
      out.emit("first " + event.id() + " " + context.timestamp());
      if (event.id() % 5 == 0) {
        context.output(SIDE, "aside " + event.id());
      }
    }

    @Override
    public void process2(String text, CoProcessFunction.Context context, Collector<String> out) {
      out.emit("second " + text);
    }
  }

  @Test
  @Behaviour("H1: connected streams give each record to the input of its stream")
  void eachRecordReachesTheInputOfItsStream() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = 300L + i;
      RandomStreams streams = RandomStreams.of(seed, 1200);
      TestRun run =
          hosts.run(
              seed,
              streams.random(),
              env -> {
                DataStream<Event> first = streams.first(env);
                DataStream<String> second = streams.second(env).map(TwoInputPrograms::text);
                first
                    .connect(streams.random().nextBoolean() ? second : second.rebalance())
                    .map(event -> "first " + event.id(), text -> "second " + text)
                    .collectAs("map");
                second
                    .connect(first.rebalance())
                    .flatMap(text -> List.of(text, text), event -> List.of(event.id() + "!"))
                    .collectAs("flatMap");
                DataStream<String> told = first.connect(second).process(new Telling());
                told.collectAs("process");
                told.sideOutput(SIDE).collectAs("side");
              });

      List<String> map = new ArrayList<>();
      List<String> flatMap = new ArrayList<>();
      List<String> process = new ArrayList<>();
      List<String> side = new ArrayList<>();
      for (Event event : streams.first()) {
        map.add("first " + event.id());
        flatMap.add(event.id() + "!");
        process.add("first " + event.id() + " " + event.time());
        if (event.id() % 5 == 0) {
          side.add("aside " + event.id());
        }
      }
      for (Event event : streams.second()) {
        String text = TwoInputPrograms.text(event);
        map.add("second " + text);
        process.add("second " + text);
        flatMap.add(text);
        flatMap.add(text);
      }
      assertThat(sorted(run.collected("map"))).as("seed %s", seed).isEqualTo(sorted(map));
      assertThat(sorted(run.collected("flatMap"))).as("seed %s", seed).isEqualTo(sorted(flatMap));
      assertThat(sorted(run.collected("process"))).as("seed %s", seed).isEqualTo(sorted(process));
      assertThat(sorted(run.collected("side"))).as("seed %s", seed).isEqualTo(sorted(side));
    }
  }

  @Test
  @Behaviour("H1: event time of connected streams is the lower one of both")
  void timersFireWhenBothInputsHaveReachedTheirTime() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = 900L + i;
      RandomStreams streams = RandomStreams.of(seed, 1200);
      TestRun run =
          hosts.run(
              seed,
              streams.random(),
              env -> {
                DataStream<String> buckets =
                    streams
                        .first(env)
                        .connect(streams.second(env).map(TwoInputPrograms::text))
                        .keyBy(Event::key, text -> TwoInputPrograms.keyOf(text, "text"))
                        .process(new TwoInputPrograms.Buckets());
                buckets.collectAs("buckets");
              });

      Map<String, List<List<Integer>>> expected = new LinkedHashMap<>();
      streams.first().forEach(event -> bucket(expected, event).get(0).add(event.id()));
      streams.second().forEach(event -> bucket(expected, event).get(1).add(event.id()));
      List<String> lines = new ArrayList<>();
      expected.forEach(
          (bucket, ids) -> {
            String[] parts = bucket.split("/");
            lines.add(
                TwoInputPrograms.line(parts[0], Long.parseLong(parts[1]), ids.get(0), ids.get(1)));
          });
      assertThat(sorted(run.collected("buckets"))).as("seed %s", seed).isEqualTo(sorted(lines));
    }
  }

  private static List<List<Integer>> bucket(Map<String, List<List<Integer>>> buckets, Event event) {
    return buckets.computeIfAbsent(
        event.key() + "/" + TwoInputPrograms.Buckets.bucket(event.time()),
        any -> List.of(new ArrayList<>(), new ArrayList<>()));
  }

  /** Sums the ids of both inputs of a key, and emits the sum with each record. */
  private static final class Sums implements CoMapFunction<Event, Event, String>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Long> sum;
    private transient ValueState<Integer> count;

    @Override
    public void open(RuntimeContext context) {
      sum = context.state(new ValueStateDescriptor<>("sum"));
      count = context.state(new ValueStateDescriptor<>("count"));
    }

    @Override
    public String map1(Event event) {
      return add(event, 1);
    }

    @Override
    public String map2(Event event) {
      return add(event, -1);
    }

    private String add(Event event, int sign) {
      long now = (sum.value() == null ? 0 : sum.value()) + (long) sign * event.id();
      int records = (count.value() == null ? 0 : count.value()) + 1;
      sum.update(now);
      count.update(records);
      return event.key() + " " + records + " " + now;
    }
  }

  @Test
  @Behaviour("H1: records of connected keyed streams share the state of their key")
  void recordsOfBothInputsShareTheStateOfTheirKey() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = 1500L + i;
      RandomStreams streams = RandomStreams.of(seed, 1200);
      TestRun run =
          hosts.run(
              seed,
              streams.random(),
              env ->
                  streams
                      .first(env)
                      .keyBy(Event::key)
                      .connect(streams.second(env).keyBy(Event::key))
                      .map(new Sums())
                      .collectAs("sums"));

      Map<Object, Integer> counts = new TreeMap<>();
      Map<Object, Long> sums = new TreeMap<>();
      streams
          .first()
          .forEach(
              event -> {
                counts.merge(event.key(), 1, Integer::sum);
                sums.merge(event.key(), (long) event.id(), Long::sum);
              });
      streams
          .second()
          .forEach(
              event -> {
                counts.merge(event.key(), 1, Integer::sum);
                sums.merge(event.key(), (long) -event.id(), Long::sum);
              });
      List<String> last = new ArrayList<>();
      counts.forEach((key, count) -> last.add(key + " " + count + " " + sums.get(key)));
      // The last sum of a key does not depend on the order; all counts occur once.
      assertThat(run.collected("sums").stream().map(String::valueOf).toList())
          .as("seed %s", seed)
          .hasSize(streams.first().size() + streams.second().size())
          .containsAll(last);
    }
  }

  /** Joins each event with the rule of its key, once all rules are there. */
  private static final class Latest extends BroadcastProcessFunction<Event, Event, String> {
    private static final long serialVersionUID = 1L;
    private final List<Event> waiting = new ArrayList<>();
    private final int rules;
    private int received;

    Latest(int rules) {
      this.rules = rules;
    }

    @Override
    public void process(
        Event event, BroadcastProcessFunction.ReadOnlyContext context, Collector<String> out) {
      if (received < rules) {
        waiting.add(event);
      } else {
        out.emit(event.id() + " " + context.broadcastState(LATEST).get(event.key()));
      }
    }

    @Override
    public void processBroadcast(
        Event rule, BroadcastProcessFunction.Context context, Collector<String> out) {
      Integer before = context.broadcastState(LATEST).get(rule.key());
      context
          .broadcastState(LATEST)
          .put(rule.key(), before == null ? rule.id() : Math.max(before, rule.id()));
      if (++received == rules) {
        waiting.forEach(
            event -> out.emit(event.id() + " " + context.broadcastState(LATEST).get(event.key())));
      }
    }
  }

  @Test
  @Behaviour("H1: every subtask has the same broadcast state")
  void everySubtaskHasAllRulesOfABroadcastStream() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = 2100L + i;
      RandomStreams streams = RandomStreams.of(seed, 1200);
      List<Event> rules = streams.second();
      if (rules.isEmpty()) {
        continue;
      }
      TestRun run =
          hosts.run(
              seed,
              streams.random(),
              env ->
                  streams
                      .first(env)
                      .rebalance()
                      .connect(streams.second(env).broadcast(LATEST))
                      .process(new Latest(rules.size()))
                      .collectAs("ruled"));

      Map<Object, Integer> latest = new TreeMap<>();
      rules.forEach(rule -> latest.merge(rule.key(), rule.id(), Math::max));
      List<String> expected =
          streams.first().stream()
              .map(event -> event.id() + " " + latest.get(event.key()))
              .toList();
      assertThat(sorted(run.collected("ruled"))).as("seed %s", seed).isEqualTo(sorted(expected));
    }
  }
}
