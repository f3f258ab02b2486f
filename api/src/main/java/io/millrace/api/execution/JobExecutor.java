package io.millrace.api.execution;

import io.millrace.api.program.Program;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.DataSetId;
import java.util.List;

/**
 * Submits jobs. The command line binds an executor while {@code main} of a program runs ({@link
 * ProgramContext}). Otherwise, for example in an IDE, {@link java.util.ServiceLoader} finds the one
 * with the highest {@link #priority()}. A provider has a public constructor without arguments,
 * which must not start anything, because it is called for every environment.
 *
 * @see ProgramContext
 */
public interface JobExecutor {
  /**
   * Submits a job and returns when the cluster has accepted it; if it throws, no job runs. It does
   * not wait for the end of the job.
   */
  JobClient execute(Program program);

  /** Releases cached data sets; unknown ones are ignored. The default does nothing. */
  default void release(List<DataSetId> dataSets) {}

  /** The configuration of programs that were not started by the command line. */
  default Configuration configuration() {
    return Configuration.EMPTY;
  }

  /** The provider with the highest priority wins; two with the same priority are refused. */
  default int priority() {
    return 0;
  }
}
