package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.MapFunction;
import io.millrace.api.metric.Counter;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.Sink;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MetricOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.metric.MetricReading;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.JobDetails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The metrics that functions, sources and sinks register, as the JobMaster fetches them. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ProgramMetricsTest {
  private static final int RECORDS = 100;

  private static final class Counting implements MapFunction<Long, Long>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient Counter seen;

    @Override
    public void open(RuntimeContext context) {
      seen = context.metrics().group("test").counter("seen");
    }

    @Override
    public void close() {}

    @Override
    public Long map(Long number) {
      seen.inc();
      return number;
    }
  }

  /** Emits some records and stays. */
  private static final class Numbers implements NonReplayableSource<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Long> open(SourceContext context) {
      Counter emitted = context.metrics().counter("emitted");
      return (out, limit) -> {
        for (long i = emitted.count(); i < RECORDS; i++) {
          emitted.inc();
          out.emit(i);
        }
        return PollingReader.Status.WAIT;
      };
    }
  }

  private static Map<String, Double> read(EmbeddedCluster cluster, JobId job) {
    JobDetails details = cluster.describe(job).orElseThrow();
    Map<String, Double> values = new TreeMap<>();
    for (JobDetails.VertexDetails vertex : details.vertices()) {
      JobMetrics metrics = cluster.metrics(job, vertex.id());
      for (var task : metrics.tasks()) {
        for (MetricReading reading : task.readings()) {
          values.merge(reading.name().dotted(), reading.value().number(), Double::sum);
        }
      }
    }
    return values;
  }

  private static Map<String, Double> run(Duration interval) throws Exception {
    Configuration configuration =
        Configuration.EMPTY.with(MetricOptions.FETCHER_UPDATE_INTERVAL, interval);
    try (EmbeddedCluster cluster = new EmbeddedCluster(configuration)) {
      JobId id = submit(cluster);
      if (!interval.isZero()) {
        while (read(cluster, id).getOrDefault("count.test.seen", 0.0) < RECORDS) {
          LockSupport.parkNanos(1_000_000);
        }
      }
      return read(cluster, id);
    }
  }

  /** Submits a job that counts and stays. */
  static JobId submit(EmbeddedCluster cluster) throws Exception {
    ClusterJobExecutor executor =
        new ClusterJobExecutor(
            cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
    return new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              Sink<Long> sink =
                  context -> {
                    Counter written = context.metrics().counter("written");
                    return record -> written.inc();
                  };
              env.fromSource(new Numbers(), "numbers")
                  .map(new Counting())
                  .name("count")
                  .sinkTo(sink);
              return env.executeAsync("metrics").id();
            });
  }

  @Test
  @Behaviour("I3: metrics of programs are fetched at most every metrics.fetcher.update-interval")
  void metricsOfFunctionsSourcesAndSinksAreFetched() throws Exception {
    Map<String, Double> values = run(Duration.ofMillis(1));
    assertThat(values).containsEntry("count.test.seen", (double) RECORDS);
    assertThat(values.values()).containsOnly((double) RECORDS);
    assertThat(values).hasSize(3);
  }

  @Test
  void intervalOfZeroFetchesNothing() throws Exception {
    assertThat(run(Duration.ZERO)).isEmpty();
  }
}
