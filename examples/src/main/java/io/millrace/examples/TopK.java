package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.window.TumblingEventTimeWindows;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the {@code --k} (3) most frequent names of each window of event time, as {@code
 * START<TAB>RANK<TAB>NAME<TAB>COUNT}. Names with the same frequency are in alphabetical order.
 *
 * <p>Lines {@code MILLIS<TAB>NAME} come from {@code --input FILE} or are bundled. {@code --window}
 * (1000) and {@code --disorder} (500) are in milliseconds. {@code --output DIR} writes the ranks to
 * a directory instead of printing them.
 */
public final class TopK {
  private TopK() {}

  /** The frequency of a name in a window. */
  record Frequency(long start, long end, String name, long count) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(
            args, List.of("--input", "--output", "--k", "--window", "--disorder"), List.of());
    Duration size = Duration.ofMillis(arguments.positive("--window", 1000));
    long k = arguments.positive("--k", 3);
    StreamEnvironment env = StreamEnvironment.current();

    DataStream<Frequency> frequencies =
        Timed.stream(env, arguments)
            .keyBy(Timed::name)
            .window(TumblingEventTimeWindows.of(size))
            .aggregate(
                new Count(),
                (name, context, content, out) ->
                    content.forEach(
                        count ->
                            out.emit(
                                new Frequency(
                                    context.window().start(),
                                    context.window().end(),
                                    name,
                                    count))));
    DataStream<String> ranks =
        frequencies.keyBy(Frequency::start).process(new Rank(k)).name("rank");
    Results.deliver(env, ranks, arguments, "top k");
  }

  /** Collects the frequencies of a window until it is complete, and ranks them. */
  private static final class Rank extends KeyedProcessFunction<Long, Frequency, String> {
    private static final long serialVersionUID = 1L;

    private final long k;
    private transient ListState<Frequency> frequencies;

    Rank(long k) {
      this.k = k;
    }

    @Override
    public void open(RuntimeContext context) {
      frequencies = context.listState(new ListStateDescriptor<>("frequencies"));
    }

    @Override
    public void process(Frequency frequency, Context<Long> context, Collector<String> out) {
      frequencies.add(frequency);
      // The timer fires when all windows with this end have emitted their frequencies.
      context.timerService().registerEventTimeTimer(frequency.end() - 1);
    }

    @Override
    public void onTimer(long time, OnTimerContext<Long> context, Collector<String> out) {
      List<Frequency> ranked = new ArrayList<>(frequencies.values());
      ranked.sort(
          Comparator.comparingLong(Frequency::count).reversed().thenComparing(Frequency::name));
      for (int i = 0; i < ranked.size() && i < k; i++) {
        Frequency frequency = ranked.get(i);
        out.emit(
            context.currentKey()
                + "\t"
                + (i + 1)
                + "\t"
                + frequency.name()
                + "\t"
                + frequency.count());
      }
      frequencies.clear();
    }
  }
}
