package io.millrace.bench.peers.flink;

import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.StateLoad;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** The job of W8 and W9. */
public final class StateLoadJob {
  private StateLoadJob() {}

  public static void main(String[] args) throws Exception {
    StateLoad load = StateLoad.of(args);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.getConfig().enableObjectReuse();
    env.fromSource(
            new GenSource<>(
                load.keys(), 256, TypeInformation.of(Event.class), new Maker(load), null),
            WatermarkStrategy.noWatermarks(),
            "events")
        .uid("events")
        .keyBy(event -> event.key, Types.LONG)
        .process(new Update(load))
        .returns(Types.LONG)
        .uid("update")
        .sinkTo(new DiscardingSink<>());
    env.execute("state load");
  }

  private static final class Maker implements GenSource.Maker<Event> {
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
      Event next = records.next(gen);
      if (next == null) {
        // This source says that it has more; it must not take a core from the others meanwhile.
        LockSupport.parkNanos(500_000);
      }
      return next;
    }
  }

  private static final class Update extends KeyedProcessFunction<Long, Event, Long> {
    private final StateLoad load;
    private transient StateLoad.Progress progress;
    private transient ValueState<byte[]> value;

    Update(StateLoad load) {
      this.load = load;
    }

    @Override
    public void open(OpenContext context) {
      progress = load.new Progress(0);
      value =
          getRuntimeContext()
              .getState(
                  new ValueStateDescriptor<>(
                      "value", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }

    @Override
    public void processElement(Event event, Context context, Collector<Long> out)
        throws Exception {
      byte[] before = value.value();
      value.update(before == null ? load.firstValue(event.key) : StateLoad.updated(before));
      progress.record(event, before != null);
      out.collect(event.key);
    }
  }
}
