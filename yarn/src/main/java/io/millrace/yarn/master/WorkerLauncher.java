package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.yarn.launch.ContainerLaunch;

/** Creates the launch of a worker's container. */
@FunctionalInterface
interface WorkerLauncher {
  /**
   * @param host of the container's node
   */
  ContainerLaunch launch(WorkerId worker, WorkerSpec spec, String host);
}
