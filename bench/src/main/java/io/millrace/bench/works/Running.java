package io.millrace.bench.works;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.Configuration;
import java.util.ArrayList;
import java.util.function.Consumer;

/** A job on an embedded cluster of this process. */
record Running(EmbeddedCluster cluster, JobClient job) implements AutoCloseable {

  /** Starts the program with parallelism 2, like the peers. */
  static Running start(Consumer<StreamEnvironment> program) throws Exception {
    return start(Configuration.EMPTY, program);
  }

  /** Starts the program on a cluster with this configuration. */
  static Running start(Configuration configuration, Consumer<StreamEnvironment> program)
      throws Exception {
    EmbeddedCluster cluster = new EmbeddedCluster(configuration);
    ClusterJobExecutor executor =
        new ClusterJobExecutor(
            cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
    JobClient job =
        new ProgramContext(executor, Configuration.EMPTY)
            .during(
                () -> {
                  StreamEnvironment env = StreamEnvironment.current().parallelism(2);
                  program.accept(env);
                  return env.executeAsync("work");
                });
    return new Running(cluster, job);
  }

  /** Waits for the end of the job. */
  void join() throws Exception {
    job.result().get();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
