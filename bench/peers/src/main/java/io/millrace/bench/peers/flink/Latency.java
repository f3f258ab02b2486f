package io.millrace.bench.peers.flink;

import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Latencies;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** W4: {@code Latency <bufferTimeoutMs>}. */
public final class Latency {
  private static final int PARALLELISM = 2;

  private Latency() {}

  public static void main(String[] args) throws Exception {
    long bufferTimeout = Long.parseLong(args[0]);
    Configuration conf = new Configuration();
    conf.set(PipelineOptions.OBJECT_REUSE, true);
    conf.set(ExecutionOptions.BUFFER_TIMEOUT, Duration.ofMillis(bufferTimeout));
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, conf);
    env.fromSource(
            new GenSource<>(
                Latencies.KEYS, 256, TypeInformation.of(Event.class), new Paced(), null),
            WatermarkStrategy.noWatermarks(),
            "gen")
        .keyBy(e -> e.key, Types.LONG)
        .process(new Sum())
        .returns(Event.class)
        .sinkTo(new LatencySink());
    JobClient job = env.executeAsync();
    JsonLine json = new JsonLine("flink", "W4", "bufferTimeout" + bufferTimeout + "ms");
    Latencies.measure(json);
    json.print();
    job.getJobExecutionResult().get();
    System.exit(0);
  }

  /** Emits what is due; parks for a moment when nothing is. */
  static final class Paced implements GenSource.Maker<Event> {
    private transient Latencies.Pace pace;

    @Override
    public Event make(Gen gen) {
      if (pace == null) {
        pace = new Latencies.Pace(PARALLELISM);
      }
      long due = pace.due();
      long now = System.nanoTime();
      if (due > now) {
        LockSupport.parkNanos(50_000);
        return null;
      }
      pace.emitted();
      gen.advance();
      return new Event(gen.key(), due, now);
    }
  }

  static final class Sum extends KeyedProcessFunction<Long, Event, Event> {
    private transient ValueState<Long> sum;

    @Override
    public void open(OpenContext context) {
      sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Types.LONG));
    }

    @Override
    public void processElement(Event event, Context context, Collector<Event> out)
        throws Exception {
      Long before = sum.value();
      sum.update((before == null ? 0 : before) + 1);
      out.collect(event);
    }
  }

  static final class LatencySink implements Sink<Event> {
    @Override
    public SinkWriter<Event> createWriter(WriterInitContext context) {
      Latencies latencies = new Latencies();
      return new SinkWriter<>() {
        @Override
        public void write(Event event, Context ignored) {
          latencies.record(event.timestamp, event.value);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
      };
    }
  }
}
