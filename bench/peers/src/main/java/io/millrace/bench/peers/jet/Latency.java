package io.millrace.bench.peers.jet;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.accumulator.LongAccumulator;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.pipeline.Pipeline;
import com.hazelcast.jet.pipeline.Sinks;
import com.hazelcast.jet.pipeline.Sources;
import com.hazelcast.jet.pipeline.StreamSource;
import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Latencies;

/** W4 on Jet's defaults. */
public final class Latency {
  private Latency() {}

  public static void main(String[] args) throws Exception {
    HazelcastInstance member = Member.start(true);
    Pipeline pipeline = Pipeline.create();
    StreamSource<Event> source =
        Sources.streamFromProcessor(
            "gen",
            ProcessorMetaSupplier.of(
                ProcessorSupplier.of(() -> new GenP<>(Latencies.KEYS, new Paced(), null))));
    pipeline
        .readFrom(source)
        .withoutTimestamps()
        .groupingKey(e -> e.key)
        .mapStateful(
            LongAccumulator::new,
            (sum, key, e) -> {
              sum.add(1);
              return e;
            })
        .writeTo(Sinks.fromProcessor("latency", ProcessorMetaSupplier.of(LatencyP::new)));
    Job job = member.getJet().newJob(pipeline);
    JsonLine json = new JsonLine("jet", "W4", "default");
    Latencies.measure(json);
    json.print();
    job.join();
    member.shutdown();
    System.exit(0);
  }

  static final class Paced implements GenP.Maker<Event> {
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

  static final class LatencyP extends AbstractProcessor {
    private final Latencies latencies = new Latencies();

    @Override
    protected boolean tryProcess(int ordinal, Object item) {
      Event event = (Event) item;
      latencies.record(event.timestamp, event.value);
      return true;
    }
  }
}
