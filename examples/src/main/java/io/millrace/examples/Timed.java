package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A named event with a timestamp, from a line {@code MILLIS<TAB>NAME}.
 *
 * @param time in milliseconds
 */
record Timed(long time, String name) implements Serializable {
  private static final long serialVersionUID = 1L;

  static Timed parse(String line) {
    int tab = line.indexOf('\t');
    try {
      if (tab > 0 && tab + 1 < line.length()) {
        return new Timed(Long.parseLong(line.substring(0, tab)), line.substring(tab + 1));
      }
    } catch (NumberFormatException e) {
      throw invalidLine(line, e);
    }
    throw invalidLine(line, null);
  }

  private static MillraceException invalidLine(String line, Throwable cause) {
    return new MillraceException(
        ErrorKind.USER, "A line must be MILLIS<TAB>NAME, but is '" + line + "'.", cause);
  }

  String line() {
    return time + "\t" + name;
  }

  /**
   * The bundled lines, or those of {@code --input}, in event time. One source instance reads them
   * and emits a watermark after each, so that the set of late lines is deterministic.
   */
  static DataStream<Timed> stream(StreamEnvironment env, Arguments arguments) {
    return stream(env, arguments, "arrivals.txt");
  }

  /** The same with other bundled lines, of this resource. */
  static DataStream<Timed> stream(StreamEnvironment env, Arguments arguments, String bundled) {
    return stream(
        arguments
            .find("--input")
            .map(env::readText)
            .orElseGet(() -> env.fromCollection(bundledLines(bundled))),
        arguments);
  }

  /** The same with these lines. */
  static DataStream<Timed> stream(DataStream<String> lines, Arguments arguments) {
    long disorder = arguments.positive("--disorder", 500);
    return lines
        .parallelism(1)
        .map(Timed::parse)
        .name("parse")
        .parallelism(1)
        .assignTimestampsAndWatermarks(
            WatermarkStrategy.forGenerator(() -> new AfterEach(disorder))
                .withTimestampAssigner((timed, before) -> timed.time()))
        .parallelism(1);
  }

  static List<String> bundledLines(String resource) {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                Timed.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("The bundled lines cannot be read", e);
    }
  }

  /** The watermark is the maximum timestamp minus the disorder. */
  private static final class AfterEach implements WatermarkGenerator<Timed> {
    private final long disorder;
    private long highest = Long.MIN_VALUE;

    AfterEach(long disorder) {
      this.disorder = disorder;
    }

    @Override
    public void onEvent(Timed timed, long timestamp, WatermarkOutput output) {
      if (timestamp > highest) {
        highest = timestamp;
        output.emitWatermark(highest - disorder - 1);
      }
    }
  }
}
