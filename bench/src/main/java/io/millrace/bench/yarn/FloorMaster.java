package io.millrace.bench.yarn;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.NMClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Requests one container, starts a JVM in it that only records its start, and ends after it. */
public final class FloorMaster {
  private static final int HEARTBEAT_MILLIS = 100;

  private FloorMaster() {}

  /** The argument is the file to which the container's JVM writes the time. */
  public static void main(String[] arguments) throws Exception {
    Configuration configuration = new YarnConfiguration();
    AMRMClient<ContainerRequest> yarn = AMRMClient.createAMRMClient();
    yarn.init(configuration);
    yarn.start();
    NMClient nodes = NMClient.createNMClient();
    nodes.init(configuration);
    nodes.start();
    yarn.registerApplicationMaster("localhost", 0, "");
    yarn.addContainerRequest(
        new ContainerRequest(Resource.newInstance(256, 1), null, null, Priority.newInstance(1)));
    boolean started = false;
    boolean ended = false;
    while (!ended) {
      AllocateResponse answer = yarn.allocate(0);
      for (Container container : answer.getAllocatedContainers()) {
        if (started) {
          yarn.releaseAssignedContainer(container.getId());
        } else {
          started = true;
          nodes.startContainer(container, worker(configuration, arguments[0]));
        }
      }
      ended = !answer.getCompletedContainersStatuses().isEmpty();
      TimeUnit.MILLISECONDS.sleep(HEARTBEAT_MILLIS);
    }
    yarn.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "", "");
    System.exit(0);
  }

  private static ContainerLaunchContext worker(Configuration configuration, String marker)
      throws Exception {
    return ContainerLaunchContext.newInstance(
        FloorFiles.resources(configuration),
        Map.of(),
        List.of(
            Floor.CONTAINER_JVM
                + FloorWorker.class.getName()
                + " "
                + marker
                + " 1>"
                + ApplicationConstants.LOG_DIR_EXPANSION_VAR
                + "/stdout 2>"
                + ApplicationConstants.LOG_DIR_EXPANSION_VAR
                + "/stderr"),
        Map.of(),
        null,
        Map.of());
  }
}
