package io.millrace.bench.peers.flink;

import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.Text;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;

/** W3: {@code Throughput <a..f> <reuse|copy> <pojo|tuple>}. */
public final class Throughput {
  private static final int PARALLELISM = 2;
  private static final int BATCH = Integer.getInteger("batch", 256);
  private static final long BUFFER_TIMEOUT_MS = Long.getLong("bufferTimeout", -1);

  private Throughput() {}

  public static void main(String[] args) throws Exception {
    String workload = args[0];
    boolean reuse = args.length < 2 || args[1].equals("reuse");
    boolean tuple = args.length > 2 && args[2].equals("tuple");
    String note = System.getProperty("note", "");

    Configuration conf = new Configuration();
    conf.set(PipelineOptions.OBJECT_REUSE, reuse);
    conf.set(PipelineOptions.GENERIC_TYPES, false);
    if (BUFFER_TIMEOUT_MS < 0) {
      conf.set(ExecutionOptions.BUFFER_TIMEOUT_ENABLED, false);
    } else {
      conf.set(ExecutionOptions.BUFFER_TIMEOUT, Duration.ofMillis(BUFFER_TIMEOUT_MS));
    }
    if (workload.equals("e")) {
      Path dir = Path.of(System.getProperty("checkpoints"));
      conf.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
      conf.set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
      conf.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
      conf.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, dir.toUri().toString());
    }
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, conf);
    if (workload.equals("f")) {
      words(env);
    } else if (tuple) {
      events(env, workload, new Shape.Tuple(), reuse);
    } else {
      events(env, workload, new Shape.Pojo(), reuse);
    }

    JsonLine json =
        new JsonLine(
            "flink",
            "W3" + workload,
            (reuse ? "reuse" : "copy")
                + (workload.equals("f") ? "" : tuple ? "-tuple" : "-pojo")
                + note);
    JobClient job = env.executeAsync();
    SteadyState.measure(json);
    job.getJobExecutionResult().get();
    json.put("in", RecordMeter.in())
        .put("out", RecordMeter.out())
        .put("snapshots", RecordMeter.SNAPSHOTS.get())
        .print();
    System.exit(0);
  }

  private static <T> void events(
      StreamExecutionEnvironment env, String workload, Shape<T> shape, boolean reuse) {
    boolean windowed = workload.equals("c");
    long keys = workload.equals("d") ? 1_000_000 : 10_000;
    DataStream<T> source =
        env.fromSource(
            new GenSource<>(
                keys, BATCH, shape.type(), shape.maker(reuse), windowed ? shape::timestamp : null),
            windowed
                ? WatermarkStrategy.forMonotonousTimestamps()
                : WatermarkStrategy.noWatermarks(),
            "gen");
    switch (workload) {
      case "a" ->
          source
              .map(
                  e -> {
                    shape.set(e, shape.key(e), shape.timestamp(e), shape.value(e) * 3);
                    return e;
                  })
              .returns(shape.type())
              .filter(e -> (shape.value(e) & 1) == 0)
              .sinkTo(new CountSink<>());
      case "b", "d", "e" ->
          source
              .keyBy(shape::key, Types.LONG)
              .process(new RunningSum<>(shape))
              .returns(Types.LONG)
              .sinkTo(new CountSink<>());
      case "c" ->
          source
              .keyBy(shape::key, Types.LONG)
              .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
              .aggregate(new Count<T>(), Types.LONG, Types.LONG)
              .sinkTo(new CountSink<>());
      default -> throw new IllegalArgumentException(workload);
    }
  }

  private static void words(StreamExecutionEnvironment env) {
    String[] sentences = Text.sentences();
    env.fromSource(
            new GenSource<String>(
                1,
                BATCH,
                Types.STRING,
                gen -> {
                  gen.advance();
                  return sentences[gen.index(Text.SENTENCES)];
                },
                null),
            WatermarkStrategy.noWatermarks(),
            "gen")
        .flatMap(new Split())
        .returns(Types.TUPLE(Types.STRING, Types.LONG))
        .keyBy(w -> w.f0, Types.STRING)
        .sum(1)
        .sinkTo(new CountSink<>());
  }

  static final class RunningSum<T> extends KeyedProcessFunction<Long, T, Long>
      implements CheckpointListener {
    private final Shape<T> shape;
    private transient ValueState<Long> sum;

    RunningSum(Shape<T> shape) {
      this.shape = shape;
    }

    @Override
    public void open(OpenContext context) {
      sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Types.LONG));
    }

    @Override
    public void processElement(T event, Context context, Collector<Long> out) throws Exception {
      Long before = sum.value();
      Long after = (before == null ? 0 : before) + shape.value(event);
      sum.update(after);
      out.collect(after);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
      if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
        RecordMeter.SNAPSHOTS.incrementAndGet();
      }
    }
  }

  static final class Count<T> implements AggregateFunction<T, Long, Long> {
    @Override
    public Long createAccumulator() {
      return 0L;
    }

    @Override
    public Long add(T event, Long count) {
      return count + 1;
    }

    @Override
    public Long getResult(Long count) {
      return count;
    }

    @Override
    public Long merge(Long a, Long b) {
      return a + b;
    }
  }

  static final class Split implements FlatMapFunction<String, Tuple2<String, Long>> {
    @Override
    public void flatMap(String sentence, Collector<Tuple2<String, Long>> out) {
      for (String word : sentence.split(" ")) {
        out.collect(new Tuple2<>(word, 1L));
      }
    }
  }
}
