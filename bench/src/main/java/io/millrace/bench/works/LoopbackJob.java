package io.millrace.bench.works;

import io.millrace.api.StreamEnvironment;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.Payload;
import io.millrace.bench.load.Probe;

/**
 * W7 as a program for a cluster: {@code LoopbackJob <directory> <warm-up seconds> <measured
 * seconds>}.
 */
public final class LoopbackJob {
  private LoopbackJob() {}

  public static void main(String[] arguments) throws Exception {
    Probe probe =
        new Probe(arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
    StreamEnvironment env = StreamEnvironment.current();
    env.fromSource(new GenSource<>(10_000, new Payloads(), probe), "payloads")
        .keyBy(payload -> payload.key)
        .sinkTo(new CountSink<>(probe));
    env.execute("loopback");
  }

  private static final class Payloads implements GenSource.Maker<Payload> {
    private static final long serialVersionUID = 1L;

    private transient byte[][] bodies;

    @Override
    public Payload make(Gen gen) {
      if (bodies == null) {
        bodies = Payload.bodies();
      }
      gen.advance();
      return new Payload(gen.key(), gen.value(), Payload.bodyOf(gen, bodies));
    }
  }
}
