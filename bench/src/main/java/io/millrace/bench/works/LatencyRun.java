package io.millrace.bench.works;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Latencies;
import io.millrace.bench.load.Probe;

/** W4 on an embedded cluster with defaults. */
public final class LatencyRun {
  private LatencyRun() {}

  public static void main(String[] arguments) throws Exception {
    JsonLine json = new JsonLine("millrace", "W4", "default");
    try (Running running =
        Running.start(
            env ->
                env.fromSource(new GenSource<>(Latencies.KEYS, new Paced(), Probe.NONE), "events")
                    .keyBy(event -> event.key)
                    .aggregate(new Counted())
                    .sinkTo(new LatencySink()))) {
      Latencies.measure(json);
      running.join();
    }
    json.print();
  }

  private static final class Paced implements GenSource.Maker<Event> {
    private static final long serialVersionUID = 1L;

    private transient Latencies.Pace pace;

    @Override
    public Event make(Gen gen) {
      if (pace == null) {
        pace = new Latencies.Pace(2);
      }
      long due = pace.due();
      long now = System.nanoTime();
      if (due > now) {
        return null;
      }
      pace.emitted();
      gen.advance();
      return new Event(gen.key(), due, now);
    }
  }

  /** The number of records of a key, and the last one. */
  static final class Count {
    long records;
    Event last;
  }

  /** Counts the records per key and emits every record. */
  private static final class Counted implements AggregateFunction<Event, Count, Event> {
    private static final long serialVersionUID = 1L;

    @Override
    public Count create() {
      return new Count();
    }

    @Override
    public Count add(Count count, Event event) {
      count.records++;
      count.last = event;
      return count;
    }

    @Override
    public Event result(Count count) {
      return count.last;
    }
  }

  private static final class LatencySink implements Sink<Event> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<Event> createWriter(SinkContext context) {
      Latencies latencies = new Latencies();
      return event -> latencies.record(event.timestamp, event.value);
    }
  }
}
