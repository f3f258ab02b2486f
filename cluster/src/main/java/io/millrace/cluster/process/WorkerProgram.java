package io.millrace.cluster.process;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.util.List;

/** What runs in a worker's process: the boundary between starting one and what is started. */
@FunctionalInterface
public interface WorkerProgram {
  /**
   * Writes what the worker needs into its place and says how it is started. Its name follows as the
   * last argument.
   */
  List<String> prepare(WorkerId worker, WorkerSpec spec, WorkerFiles.Place place)
      throws IOException;
}
