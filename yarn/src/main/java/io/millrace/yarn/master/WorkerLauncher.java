package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.yarn.launch.ContainerLaunch;

/** What runs in a worker's container: the boundary between starting one and what is started. */
@FunctionalInterface
interface WorkerLauncher {
  /**
   * @param host of the node that the container is on
   */
  ContainerLaunch launch(WorkerId worker, WorkerSpec spec, String host);
}
