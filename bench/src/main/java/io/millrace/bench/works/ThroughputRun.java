package io.millrace.bench.works;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Probe;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.Text;
import io.millrace.core.config.Configuration;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** W3 on an embedded cluster: {@code ThroughputRun <a|b|c|d|e|f|g>}. */
public final class ThroughputRun {
  private ThroughputRun() {}

  public static void main(String[] arguments) throws Exception {
    String work = arguments[0];
    JsonLine json = new JsonLine("millrace", "W3" + work, "default");
    if (work.equals("g")) {
      try (Scraper scraper = new Scraper()) {
        measure(
            json,
            work,
            Configuration.EMPTY.with("metrics.reporter.prom.port", String.valueOf(scraper.port())));
        json.put("scrapes", scraper.scrapes());
      }
    } else {
      measure(json, work, Configuration.EMPTY);
    }
    json.put("in", RecordMeter.in())
        .put("out", RecordMeter.out())
        .put("snapshots", RecordMeter.SNAPSHOTS.get())
        .print();
  }

  private static void measure(JsonLine json, String work, Configuration configuration)
      throws Exception {
    try (Running running = Running.start(configuration, env -> program(env, work))) {
      SteadyState.measure(json);
      running.join();
    }
  }

  private static void program(StreamEnvironment env, String work) {
    if (work.equals("e")) {
      env.configure("execution.checkpointing.interval", "1 s");
      env.configure("execution.checkpointing.dir", System.getProperty("checkpoints"));
    }
    switch (work) {
      case "a" ->
          events(env, 10_000)
              .map(event -> new Event(event.key, event.timestamp, event.value * 3))
              .filter(event -> (event.value & 1) == 0)
              .sinkTo(new CountSink<>(Probe.NONE));
      case "b", "e" ->
          events(env, 10_000)
              .keyBy(event -> event.key)
              .sum(event -> event.value)
              .sinkTo(new CountSink<>(Probe.NONE));
      case "g" ->
          events(env, 10_000)
              .keyBy(event -> event.key)
              .sum(event -> event.value)
              .sinkTo(new MeteredSink<>(new CountSink<>(Probe.NONE)));
      case "c" ->
          events(env, 10_000)
              .assignTimestampsAndWatermarks(
                  WatermarkStrategy.forMonotonousTimestamps(event -> event.timestamp))
              .keyBy(event -> event.key)
              .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
              .aggregate(new Count())
              .sinkTo(new CountSink<>(Probe.NONE));
      case "d" ->
          events(env, 1_000_000)
              .keyBy(event -> event.key)
              .sum(event -> event.value)
              .sinkTo(new CountSink<>(Probe.NONE));
      case "f" -> {
        List<String> sentences = Arrays.asList(Text.sentences());
        env.fromSource(new GenSource<>(1, new Sentence(sentences), Probe.NONE), "sentences")
            .<String>flatMap(
                (sentence, out) -> {
                  for (String word : sentence.split(" ")) {
                    out.emit(word);
                  }
                })
            .keyBy(word -> word)
            .count()
            .sinkTo(new CountSink<>(Probe.NONE));
      }
      default -> throw new IllegalArgumentException("No work W3" + work);
    }
  }

  static DataStream<Event> events(StreamEnvironment env, long keys) {
    return env.fromSource(
        new GenSource<>(
            keys,
            gen -> {
              gen.advance();
              return new Event(gen.key(), gen.timestamp(), gen.value());
            },
            Probe.NONE),
        "events");
  }

  private record Sentence(List<String> sentences) implements GenSource.Maker<String> {
    @Override
    public String make(Gen gen) {
      gen.advance();
      return sentences.get(gen.index(Text.SENTENCES));
    }
  }

  private static final class Count implements AggregateFunction<Event, long[], Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] create() {
      return new long[1];
    }

    @Override
    public long[] add(long[] count, Event event) {
      count[0]++;
      return count;
    }

    @Override
    public Long result(long[] count) {
      return count[0];
    }
  }
}
