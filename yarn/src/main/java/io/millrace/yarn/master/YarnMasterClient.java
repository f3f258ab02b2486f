package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.yarn.launch.ContainerLaunch;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * YARN as an ApplicationMaster sees it: the ResourceManager, the NodeManagers and the staging
 * directory. A process boundary and a simulation seam. Methods that say so may block and may run at
 * the same time as other methods. The others return at once.
 */
interface YarnMasterClient {
  /**
   * Registers this attempt. May block.
   *
   * @param notStarted called with a container that a NodeManager did not start and with the cause,
   *     in any thread
   */
  RegisterApplicationMasterResponse register(
      ApplicationMasterAddress address, BiConsumer<ContainerId, Throwable> notStarted)
      throws YarnException, IOException;

  /**
   * Sends what was requested and returned since, and receives what has changed. May block.
   *
   * @param progress of the application, from 0 to 1
   */
  AllocateResponse allocate(float progress) throws YarnException, IOException;

  /** Asks for a container, from the next {@link #allocate} on. */
  void addRequest(ContainerRequest request);

  /** Stops asking. A request that is served must be removed, or YARN serves it again. */
  void removeRequest(ContainerRequest request);

  /** Gives a container back with the next {@link #allocate}. */
  void returnContainer(ContainerId container);

  void updateBlockedNodes(List<String> added, List<String> removed);

  /** The name with which a node can be blocked. */
  String nodeName(NodeId node);

  /** What a NodeManager needs to start a container. May block. */
  ContainerLaunchContext prepare(ContainerLaunch launch);

  void startContainer(Container container, ContainerLaunchContext context);

  void stopContainer(ContainerId container, NodeId node);

  /** The status of a container, as its NodeManager knows it. May block. */
  ContainerStatus containerStatus(ContainerId container, NodeId node)
      throws YarnException, IOException;

  /** The nodes that YARN decommissions. May block. */
  List<NodeReport> decommissioningNodes() throws YarnException, IOException;

  /**
   * The status of queue, application and nodes, as a clause; empty if YARN has never answered. May
   * block.
   */
  Optional<String> query();

  /**
   * Reports the outcome of the application and removes its staging directory. Reports its own
   * failures in the log. May block.
   */
  void unregister(DriverTermination.Over outcome);

  /** Closes all connections. May block. */
  void close();
}
