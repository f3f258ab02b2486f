package io.millrace.bench.works;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.Configuration;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.Locale;

/** Deploys an idle source, keyBy and sink on one embedded cluster and cancels it. */
public final class ScaleRun {
  private ScaleRun() {}

  /** A source without records. */
  private static final class Idle implements NonReplayableSource<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Long> open(SourceContext context) {
      return (SourceOutput<Long> out, int limit) -> PollingReader.Status.WAIT;
    }
  }

  public static void main(String[] arguments) throws Exception {
    int parallelism = Integer.parseInt(arguments[0]);
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      ClusterJobExecutor executor =
          new ClusterJobExecutor(
              cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
      long start = System.nanoTime();
      JobClient job =
          new ProgramContext(executor, Configuration.EMPTY)
              .during(
                  () -> {
                    StreamEnvironment env = StreamEnvironment.current().parallelism(parallelism);
                    env.fromSource(new Idle(), "idle")
                        .keyBy(number -> number)
                        .sinkTo(new DiscardSink<>());
                    return env.executeAsync("scale");
                  });
      while (cluster
              .job(job.id())
              .map(seen -> seen.tasks().getOrDefault(TaskState.RUNNING, 0))
              .orElse(0)
          < 2 * parallelism) {
        Thread.sleep(5);
      }
      double running = since(start);
      System.gc();
      long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
      int threads = Thread.activeCount();
      long cancelled = System.nanoTime();
      job.cancel().get();
      job.result().get();
      System.out.printf(
          Locale.ROOT,
          "{\"allRunning\":%.3f,\"cancel\":%.3f,\"heapMb\":%d,\"threads\":%d}%n",
          running,
          since(cancelled),
          heap >> 20,
          threads);
    }
  }

  private static double since(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
