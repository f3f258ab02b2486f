package io.millrace.bench.works;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Probe;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import io.millrace.bench.load.nexmark.ResultDigest;
import io.millrace.bench.nexmark.NexmarkQuery;

/**
 * A query of Nexmark on an embedded cluster: {@code NexmarkRun QUERY} measures its steady state,
 * {@code NexmarkRun QUERY EVENTS} computes a digest of the results of so many events.
 */
public final class NexmarkRun {
  private NexmarkRun() {}

  public static void main(String[] arguments) throws Exception {
    NexmarkQuery query = NexmarkQuery.named(arguments[0]);
    JsonLine json = new JsonLine("millrace", query.name(), "default");
    if (arguments.length > 1) {
      NexmarkSettings settings = NexmarkSettings.bounded(Long.parseLong(arguments[1]));
      try (Running running =
          Running.start(env -> write(query.addTo(env, settings), new DigestSink<>()))) {
        running.join();
      }
      json.put("results", ResultDigest.count()).put("digest", ResultDigest.value()).print();
      return;
    }
    try (Running running = Running.start(env -> count(env, query))) {
      SteadyState.measure(json);
      running.join();
    }
    json.put("in", RecordMeter.in()).put("out", RecordMeter.out()).print();
  }

  private static void count(StreamEnvironment env, NexmarkQuery query) {
    write(query.addTo(env, NexmarkSettings.unbounded()), new CountSink<>(Probe.NONE));
  }

  private static <T> void write(DataStream<T> results, Sink<? super T> sink) {
    results.sinkTo(sink);
  }

  private record DigestSink<T>() implements Sink<T> {
    @Override
    public SinkWriter<T> createWriter(SinkContext context) {
      return ResultDigest::add;
    }
  }
}
