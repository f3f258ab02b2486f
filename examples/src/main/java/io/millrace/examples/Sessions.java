package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.window.EventTimeSessionWindows;
import java.time.Duration;
import java.util.List;

/**
 * Finds the sessions of each name: intervals of event time without a gap longer than {@code --gap}
 * milliseconds (1000), as {@code NAME<TAB>START<TAB>END<TAB>COUNT}. The end is the last time in the
 * session.
 *
 * <p>Lines {@code MILLIS<TAB>NAME} come from {@code --input FILE} or are bundled. {@code
 * --disorder} (500) is in milliseconds. {@code --output DIR} writes the sessions to a directory
 * instead of printing them.
 */
public final class Sessions {
  private Sessions() {}

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(args, List.of("--input", "--output", "--gap", "--disorder"), List.of());
    long gap = arguments.positive("--gap", 1000);
    StreamEnvironment env = StreamEnvironment.current();

    DataStream<String> sessions =
        Timed.stream(env, arguments)
            .keyBy(Timed::name)
            .window(EventTimeSessionWindows.withGap(Duration.ofMillis(gap)))
            .aggregate(
                new Count(),
                (name, context, content, out) ->
                    content.forEach(
                        count ->
                            out.emit(
                                name
                                    + "\t"
                                    + context.window().start()
                                    + "\t"
                                    + (context.window().end() - gap)
                                    + "\t"
                                    + count)));
    Results.deliver(env, sessions, arguments, "sessions");
  }
}
