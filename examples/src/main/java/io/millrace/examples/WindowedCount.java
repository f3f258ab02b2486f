package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.process.OutputTag;
import io.millrace.api.window.TumblingEventTimeWindows;
import java.time.Duration;
import java.util.List;

/**
 * Counts names per window of event time, as {@code START<TAB>NAME<TAB>COUNT}. A late name within
 * the allowed lateness updates the count of its window. Later names are emitted as {@code
 * late<TAB>MILLIS<TAB>NAME}.
 *
 * <p>Lines {@code MILLIS<TAB>NAME} come from {@code --input FILE} or are bundled. {@code --window}
 * (1000), {@code --disorder} (500) and {@code --lateness} (none) are in milliseconds. {@code
 * --output DIR} writes the counts to a directory instead of printing them.
 */
public final class WindowedCount {
  private static final OutputTag<Timed> LATE = new OutputTag<>("late");

  private WindowedCount() {}

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(
            args,
            List.of("--input", "--output", "--window", "--disorder", "--lateness"),
            List.of());
    Duration size = Duration.ofMillis(arguments.positive("--window", 1000));
    Duration lateness =
        arguments.find("--lateness").isEmpty()
            ? Duration.ZERO
            : Duration.ofMillis(arguments.positive("--lateness", 1));
    StreamEnvironment env = StreamEnvironment.current();

    DataStream<String> counts =
        Timed.stream(env, arguments)
            .keyBy(Timed::name)
            .window(TumblingEventTimeWindows.of(size))
            .allowedLateness(lateness)
            .sideOutputLateData(LATE)
            .aggregate(
                new Count(),
                (name, context, content, out) ->
                    content.forEach(
                        count -> out.emit(context.window().start() + "\t" + name + "\t" + count)));
    DataStream<String> late = counts.sideOutput(LATE).map(timed -> "late\t" + timed.line());
    Results.deliver(env, counts.union(late.name("late")), arguments, "windowed count");
  }
}
