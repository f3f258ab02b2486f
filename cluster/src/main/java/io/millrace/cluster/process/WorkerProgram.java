package io.millrace.cluster.process;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.util.List;

/** The program of worker processes. */
@FunctionalInterface
public interface WorkerProgram {
  /**
   * Writes the files that the worker needs and returns its command. The driver appends the argument
   * that identifies the worker.
   */
  List<String> prepare(WorkerId worker, WorkerSpec spec, WorkerFiles.WorkerPaths paths)
      throws IOException;
}
