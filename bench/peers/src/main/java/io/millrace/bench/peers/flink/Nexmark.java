package io.millrace.bench.peers.flink;

import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import io.millrace.bench.load.nexmark.ResultDigest;
import java.util.Locale;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A query of Nexmark: {@code Nexmark QUERY} measures its steady state, {@code Nexmark QUERY EVENTS}
 * computes a digest of the results of so many events.
 */
public final class Nexmark {
  private static final int PARALLELISM = 2;

  private Nexmark() {}

  public static void main(String[] args) throws Exception {
    String query = args[0].toLowerCase(Locale.ROOT);
    Configuration conf = new Configuration();
    conf.set(PipelineOptions.OBJECT_REUSE, true);
    conf.set(PipelineOptions.GENERIC_TYPES, false);
    conf.set(ExecutionOptions.BUFFER_TIMEOUT_ENABLED, false);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, conf);
    JsonLine json = new JsonLine("flink", query, "reuse-pojo");
    if (args.length > 1) {
      NexmarkSettings settings = NexmarkSettings.bounded(Long.parseLong(args[1]));
      write(NexmarkQueries.results(env, query, settings), new DigestSink<>());
      env.execute();
      json.put("results", ResultDigest.count()).put("digest", ResultDigest.value()).print();
      System.exit(0);
    }
    write(NexmarkQueries.results(env, query, NexmarkSettings.unbounded()), new CountSink<>());
    JobClient job = env.executeAsync();
    SteadyState.measure(json);
    job.getJobExecutionResult().get();
    json.put("in", RecordMeter.in()).put("out", RecordMeter.out()).print();
    System.exit(0);
  }

  @SuppressWarnings("unchecked") // The sinks take any record.
  private static <T> void write(DataStream<T> results, Sink<?> sink) {
    results.sinkTo((Sink<T>) sink);
  }

  private static final class DigestSink<T> implements Sink<T> {
    @Override
    public SinkWriter<T> createWriter(WriterInitContext context) {
      return new SinkWriter<>() {
        @Override
        public void write(T element, Context ignored) {
          ResultDigest.add(element);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
      };
    }
  }
}
