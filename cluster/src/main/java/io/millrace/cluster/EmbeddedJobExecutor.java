package io.millrace.cluster;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutor;
import io.millrace.api.program.Program;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.id.DataSetId;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a program without a target, for example in an IDE: on one embedded cluster for the lifetime
 * of the process, with the classes of the class path. {@code StreamEnvironment.current()} finds it;
 * a program that must run here whatever else is on the class path names it:
 *
 * <pre>{@code
 * ProgramContext here = new ProgramContext(new EmbeddedJobExecutor(), Configuration.EMPTY);
 * StreamEnvironment env = StreamEnvironment.of(here);
 * env.readText("words.txt").print();
 * env.execute("lines");
 * }</pre>
 */
public final class EmbeddedJobExecutor implements JobExecutor {
  /** Started with the first job and shared by all environments of the process. */
  private static final class Shared {
    private static final ClusterJobExecutor EXECUTOR =
        new ClusterJobExecutor(
            new EmbeddedCluster(Configuration.EMPTY),
            new ArrayList<>(),
            RecordDecoder::onClassPath,
            JobListener.NONE);
  }

  @Override
  public JobClient execute(Program program) {
    return Shared.EXECUTOR.execute(program);
  }

  /** The default parallelism in an IDE is the number of processors. */
  @Override
  public Configuration configuration() {
    return Configuration.EMPTY.with(
        CoreOptions.DEFAULT_PARALLELISM, Runtime.getRuntime().availableProcessors());
  }

  @Override
  public void release(List<DataSetId> dataSets) {
    Shared.EXECUTOR.release(dataSets);
  }
}
