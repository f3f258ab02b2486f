package io.millrace.bench.peers.flink;

import io.millrace.bench.load.Gen;
import io.millrace.bench.load.Payload;
import io.millrace.bench.load.Probe;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** What {@link Loopback} submits. */
public final class LoopbackJob {
  private LoopbackJob() {}

  public static void main(String[] args) throws Exception {
    Probe probe = new Probe(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSource(
            new GenSource<>(
                10_000, 256, TypeInformation.of(Payload.class), new Payloads(), null, probe),
            WatermarkStrategy.noWatermarks(),
            "payloads")
        .keyBy(payload -> payload.key, Types.LONG)
        .sinkTo(new CountSink<>(probe));
    env.execute("loopback");
  }

  /** Fills one object again and again, which object reuse allows. */
  static final class Payloads implements GenSource.Maker<Payload> {
    private transient byte[][] bodies;
    private transient Payload only;

    @Override
    public Payload make(Gen gen) {
      if (only == null) {
        bodies = Payload.bodies();
        only = new Payload();
      }
      gen.advance();
      only.key = gen.key();
      only.value = gen.value();
      only.body = Payload.bodyOf(gen, bodies);
      return only;
    }
  }
}
