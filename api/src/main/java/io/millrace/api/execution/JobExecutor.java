package io.millrace.api.execution;

import io.millrace.api.program.Program;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.DataSetId;
import java.util.List;

/**
 * Takes jobs to where they run. The command line binds one for the time of a program's {@code main}
 * ({@link ProgramContext}); without it, as in an IDE, the one with the highest {@link #priority()}
 * that {@link java.util.ServiceLoader} finds is used. A provider has a public constructor without
 * arguments that starts nothing: it is called for every environment.
 */
public interface JobExecutor {
  /**
   * Hands over a job and returns once it was accepted; an error here means that nothing runs.
   * Whether to wait for the end is the caller's matter.
   */
  JobClient execute(Program program);

  /**
   * Lets go of results that were kept for later jobs; what is not there is no error. An executor
   * that keeps nothing has nothing to do.
   */
  default void release(List<DataSetId> dataSets) {}

  /** What jobs run with that no command line started, where the program sets nothing else. */
  default Configuration configuration() {
    return Configuration.EMPTY;
  }

  /** Which of several providers on the class path wins; equal ones are refused. */
  default int priority() {
    return 0;
  }
}
