package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.source.CollectionSource;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.TimeDomain;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timers and states of process functions do what a naive model does. A failure names its seed. */
class TimersTest {
  private static final int SEEDS = TestBackends.seeds(40);
  private static final OutputTag<String> NOTES = new OutputTag<>("notes");

  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  /**
   * Events of which some register a timer, some delete one, and timers that register another. What
   * it emits tells all it has seen.
   */
  private static final class Remember extends KeyedProcessFunction<Object, Event, String> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Integer> last;
    private transient ListState<Integer> since;

    @Override
    public void open(RuntimeContext context) {
      last = context.state(new ValueStateDescriptor<>("last"));
      since = context.listState(new ListStateDescriptor<>("since"));
    }

    @Override
    public void process(Event event, Context<Object> context, Collector<String> out) {
      context.output(NOTES, event.id() + " after " + last.valueOr(-1));
      last.update(event.id());
      since.add(event.id());
      long time = event.time() / 10 * 10;
      switch (event.id() % 5) {
        case 0 -> context.timerService().deleteEventTimeTimer(time + 100);
        case 1 -> {}
        default -> context.timerService().registerEventTimeTimer(time + 100);
      }
      assertThat(context.timestamp()).isEqualTo(event.time());
      assertThat(context.currentKey()).isEqualTo(event.key());
    }

    @Override
    public void onTimer(long time, OnTimerContext<Object> context, Collector<String> out) {
      assertThat(context.timeDomain()).isEqualTo(TimeDomain.EVENT_TIME);
      assertThat(context.timestamp()).isEqualTo(time);
      assertThat(context.timerService().currentWatermark()).isGreaterThanOrEqualTo(time);
      out.emit(line(context.currentKey(), time, since.values()));
      since.clear();
      if (time % 70 == 0) {
        context.timerService().registerEventTimeTimer(time + 30);
      }
      if (time % 50 == 0) {
        last.clear();
      }
    }
  }

  private static String line(Object key, long time, List<Integer> since) {
    return key.getClass().getSimpleName() + key + " at " + time + " " + since;
  }

  private static final class Model {
    Integer last;
    List<Integer> since = new ArrayList<>();
    TreeSet<Long> timers = new TreeSet<>();
    Object key;

    void advance(long to, List<String> fired) {
      while (!timers.isEmpty() && timers.first() <= to) {
        long time = timers.pollFirst();
        fired.add(line(key, time, since));
        since = new ArrayList<>();
        if (time % 70 == 0) {
          timers.add(time + 30);
        }
        if (time % 50 == 0) {
          last = null;
        }
      }
    }
  }

  @Test
  @Behaviour("H1: a timer fires once per key and time, in order, and not after its deletion")
  void firesWhatTheModelFires() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      List<Event> events = RandomEvents.withLateOnes(random, random.nextInt(3000), 200);
      int parallelism = 1 + random.nextInt(4);
      TestRun run =
          TestRun.start(
                  ProgramGraphs.graph(
                      (StreamEnvironment env) -> {
                        var fired =
                            env.fromSource(
                                    CollectionSource.of(events), RandomEvents.asSaid(), "events")
                                .keyBy(Event::key)
                                .process(new Remember())
                                .parallelism(parallelism);
                        fired.sideOutput(NOTES).collectAs("notes");
                        fired.collectAs("fired");
                      }),
                  host)
              .awaitEnd();

      Map<String, Model> models = new TreeMap<>();
      List<String> notes = new ArrayList<>();
      List<String> fired = new ArrayList<>();
      for (Event event : events) {
        String name = event.key().getClass().getSimpleName() + event.key();
        Model model = models.computeIfAbsent(name, absent -> new Model());
        model.key = event.key();
        notes.add(event.id() + " after " + (model.last == null ? -1 : model.last));
        model.last = event.id();
        model.since.add(event.id());
        long time = event.time() / 10 * 10;
        if (event.id() % 5 == 0) {
          model.timers.remove(time + 100);
        } else if (event.id() % 5 > 1) {
          model.timers.add(time + 100);
        }
        if (event.watermark() != RandomEvents.NO_WATERMARK) {
          models.values().forEach(each -> each.advance(event.watermark(), fired));
        }
      }
      models.values().forEach(model -> model.advance(Long.MAX_VALUE, fired));
      assertThat(run.failures()).as("seed %s", seed).isEmpty();
      assertThat(run.collected("notes"))
          .as("seed %s", seed)
          .containsExactlyInAnyOrderElementsOf(List.<Object>copyOf(notes));
      assertThat(run.collected("fired"))
          .as("seed %s", seed)
          .containsExactlyInAnyOrderElementsOf(List.<Object>copyOf(fired));
    }
  }

  /** Counts down in processing time, without any record but the first. */
  private static final class CountDown extends KeyedProcessFunction<Integer, Integer, String> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Integer> left;

    @Override
    public void open(RuntimeContext context) {
      left = context.state(new ValueStateDescriptor<>("left"));
    }

    private static void set(Context<Integer> context, long delay) {
      context
          .timerService()
          .registerProcessingTimeTimer(context.timerService().currentProcessingTime() + delay);
    }

    @Override
    public void process(Integer record, Context<Integer> context, Collector<String> out) {
      left.update(3);
      set(context, 5);
    }

    @Override
    public void onTimer(long time, OnTimerContext<Integer> context, Collector<String> out) {
      assertThat(context.timeDomain()).isEqualTo(TimeDomain.PROCESSING_TIME);
      assertThat(context.timerService().currentProcessingTime()).isGreaterThanOrEqualTo(time);
      out.emit(context.currentKey() + ":" + left.value());
      left.update(left.value() - 1);
      if (left.value() > 0) {
        set(context, 5);
      }
    }
  }

  @Test
  @Behaviour("H1: a timer fires once per key and time, in order, and not after its deletion")
  void processingTimeTimersWakeAnIdleTask() {
    TestRun run =
        TestRun.start(
            ProgramGraphs.graph(
                env ->
                    env.fromElements(1, 2, 3)
                        .union(env.fromSource(new NeverMore(), "never"))
                        .keyBy(record -> record)
                        .process(new CountDown())
                        .parallelism(2)
                        .collectAs("out")),
            host);
    run.await("all counted down", () -> run.collected().size() == 9);
    assertThat(run.collected())
        .containsExactlyInAnyOrder("1:3", "1:2", "1:1", "2:3", "2:2", "2:1", "3:3", "3:2", "3:1");
    run.cancel();
    run.awaitEnd();
  }

  /** Has nothing and never ends. */
  record NeverMore() implements io.millrace.api.source.NonReplayableSource<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public io.millrace.api.source.PollingReader<Integer> open(
        io.millrace.api.source.SourceContext context) {
      return (out, limit) -> io.millrace.api.source.PollingReader.Status.WAIT;
    }
  }

  private static final class Later extends KeyedProcessFunction<Integer, Integer, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(Integer record, Context<Integer> context, Collector<String> out) {
      context.timerService().registerProcessingTimeTimer(Long.MAX_VALUE - record);
      context.timerService().registerEventTimeTimer(record);
    }

    @Override
    public void onTimer(long time, OnTimerContext<Integer> context, Collector<String> out) {
      out.emit(context.currentKey() + " " + context.timeDomain());
      // For ever, if the end of the input did not end it.
      context.timerService().registerProcessingTimeTimer(time + 1);
    }
  }

  @Test
  @Behaviour("H1: remaining timers fire at the end of the input")
  void timersThatAreLeftFireAtTheEndOfTheInputAndThoseSetThenInProcessingTimeDoNot() {
    TestRun run =
        TestRun.start(
                ProgramGraphs.graph(
                    env ->
                        env.fromElements(1, 2)
                            .keyBy(record -> record)
                            .process(new Later())
                            .collectAs("out")),
                host)
            .awaitEnd();
    assertThat(run.failures()).isEmpty();
    // Those set by event-time timers are still set before the end of processing time.
    assertThat(run.collected())
        .containsExactlyInAnyOrder(
            "1 EVENT_TIME",
            "2 EVENT_TIME",
            "1 PROCESSING_TIME",
            "2 PROCESSING_TIME",
            "1 PROCESSING_TIME",
            "2 PROCESSING_TIME");
  }
}
