package io.millrace.bench.works;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.Probe;
import io.millrace.bench.load.StateLoad;

/** The job of W8 and W9. */
public final class StateLoadJob {
  private StateLoadJob() {}

  public static void main(String[] arguments) {
    StateLoad load = StateLoad.of(arguments);
    StreamEnvironment env = StreamEnvironment.current();
    env.fromSource(new GenSource<>(load.keys(), new Maker(load), Probe.NONE), "events")
        .uid("events")
        .keyBy(event -> event.key)
        .map(new Update(load))
        .name("update")
        .uid("update")
        .sinkTo(new DiscardSink<>());
    env.execute("state load");
  }

  private static final class Maker implements GenSource.Maker<Event> {
    private static final long serialVersionUID = 1L;

    private final StateLoad load;
    private transient StateLoad.Records records;

    Maker(StateLoad load) {
      this.load = load;
    }

    @Override
    public Event make(Gen gen) {
      if (records == null) {
        records = load.new Records();
      }
      return records.next(gen);
    }
  }

  private static final class Update implements MapFunction<Event, Long>, RichFunction {
    private static final long serialVersionUID = 1L;

    private final StateLoad load;
    private transient StateLoad.Progress progress;
    private transient ValueState<byte[]> value;

    Update(StateLoad load) {
      this.load = load;
    }

    @Override
    public void open(RuntimeContext context) {
      progress = load.new Progress(0);
      value = context.state(new ValueStateDescriptor<>("value"));
    }

    @Override
    public Long map(Event event) {
      byte[] before = value.value();
      value.update(before == null ? load.firstValue(event.key) : StateLoad.updated(before));
      progress.record(event, before != null);
      return event.key;
    }
  }
}
