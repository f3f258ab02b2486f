package io.millrace.bench.peers.flink;

import io.millrace.bench.load.Event;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job of W6: a keyed running sum of a paced source, checkpointed every second. */
public final class FailoverJob {
  private FailoverJob() {}

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.enableCheckpointing(1000);
    env.fromSource(
            new GenSource<>(
                10_000, 256, TypeInformation.of(Event.class), new Latency.Paced(), null),
            WatermarkStrategy.noWatermarks(),
            "gen")
        .keyBy(e -> e.key, Types.LONG)
        .process(new Latency.Sum())
        .returns(Event.class)
        .sinkTo(new CountSink<>());
    env.execute("failover");
  }
}
