package io.millrace.bench.peers.flink;

import io.millrace.bench.load.CheckpointTimes;
import io.millrace.bench.load.JsonLine;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** W10: unaligned checkpoints while a slow function blocks its sources. */
public final class BackPressure {
  private static final int PARALLELISM = 2;

  private BackPressure() {}

  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.set(PipelineOptions.OBJECT_REUSE, true);
    conf.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    conf.set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
    conf.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
    conf.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    conf.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        Path.of(System.getProperty("checkpoints")).toUri().toString());
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, conf);
    Shape.Pojo shape = new Shape.Pojo();
    env.fromSource(
            new GenSource<>(10_000, 256, shape.type(), shape.maker(true), null),
            WatermarkStrategy.noWatermarks(),
            "gen")
        .keyBy(shape::key, Types.LONG)
        .process(new Throughput.RunningSum<>(shape))
        .returns(Types.LONG)
        .rebalance()
        .map(
            sum -> {
              Thread.sleep(CheckpointTimes.SLOW_MILLIS);
              return sum;
            })
        .returns(Types.LONG)
        .sinkTo(new CountSink<>());
    JobClient job = env.executeAsync();
    JsonLine json = new JsonLine("flink", "W10", "unaligned");
    CheckpointTimes.measure(json);
    json.print();
    // What waits would take minutes.
    job.cancel().get();
    System.exit(0);
  }
}
