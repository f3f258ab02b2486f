package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HistoryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.yarn.launch.ContainerLaunch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.NMTokenCache;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link YarnMasterClient} over Hadoop's client library. It has no thread and no timer of its
 * own: the caller decides when to heartbeat. The library's {@code AMRMClientAsync} would sleep
 * through an interval before it sends a new request.
 */
final class HadoopMasterClient implements YarnMasterClient {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopMasterClient.class);

  /** YARN keeps diagnostics in its state store. */
  private static final int MAX_DIAGNOSTICS = 8_000;

  private final ApplicationMasterContext yarn;
  private final YarnConfiguration scheduler;
  private final Configuration configuration;
  private final LongSupplier wallMillis;
  private final Runnable containerStarted;
  private final AMRMClient<ContainerRequest> resourceManager = AMRMClient.createAMRMClient();
  private Optional<NodeManagerClient> nodeManagers = Optional.empty();
  private Optional<YarnStatusQuery> statusQuery = Optional.empty();

  /**
   * @param configuration of the cluster
   * @param wallMillis the wall clock, for the age of YARN's answers
   */
  HadoopMasterClient(
      ApplicationMasterContext yarn, Configuration configuration, LongSupplier wallMillis) {
    this(yarn, yarn.hadoop(), configuration, wallMillis, () -> {});
  }

  /**
   * @param scheduler with the address to which this process registers and sends heartbeats
   * @param configuration of the cluster
   * @param wallMillis the wall clock, for the age of YARN's answers
   * @param containerStarted called when a container was started, in a thread of YARN's library
   */
  HadoopMasterClient(
      ApplicationMasterContext yarn,
      YarnConfiguration scheduler,
      Configuration configuration,
      LongSupplier wallMillis,
      Runnable containerStarted) {
    this.yarn = yarn;
    this.scheduler = scheduler;
    this.configuration = configuration;
    this.wallMillis = wallMillis;
    this.containerStarted = containerStarted;
  }

  @Override
  public RegisterApplicationMasterResponse register(
      ApplicationMasterAddress address, BiConsumer<ContainerId, Throwable> notStarted) {
    try {
      return yarn.as(
          () -> {
            NMTokenCache tokens = new NMTokenCache();
            resourceManager.setNMTokenCache(tokens);
            resourceManager.init(scheduler);
            resourceManager.start();
            nodeManagers =
                Optional.of(
                    new NodeManagerClient(yarn.hadoop(), tokens, notStarted, containerStarted));
            RegisterApplicationMasterResponse response =
                resourceManager.registerApplicationMaster(
                    address.host(), address.port(), address.trackingUrl());
            statusQuery =
                Optional.of(
                    new YarnStatusQuery(
                        yarn,
                        new YarnStatusQuery.Requests(
                            response.getQueue(), YarnDriverSettings.label(configuration)),
                        () -> YarnStatusQuery.connect(yarn.hadoop()),
                        wallMillis));
            return response;
          });
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The JobManager could not register at YARN's ResourceManager: "
              + Failure.sentence(Failure.unwrap(e)),
          e);
    }
  }

  @Override
  public AllocateResponse allocate(float progress) throws YarnException, IOException {
    try {
      // As the user: after a failover of YARN the library creates a connection within this call.
      return yarn.as(() -> resourceManager.allocate(progress));
    } catch (IOException e) {
      if (e.getCause() instanceof YarnException answer) {
        throw answer;
      }
      throw e;
    }
  }

  @Override
  public void addRequest(ContainerRequest request) {
    resourceManager.addContainerRequest(request);
  }

  @Override
  public void removeRequest(ContainerRequest request) {
    resourceManager.removeContainerRequest(request);
  }

  @Override
  public void returnContainer(ContainerId container) {
    resourceManager.releaseAssignedContainer(container);
  }

  @Override
  public void updateBlockedNodes(List<String> added, List<String> removed) {
    // The library changes the lists.
    resourceManager.updateBlacklist(new ArrayList<>(added), new ArrayList<>(removed));
  }

  @Override
  public String nodeName(NodeId node) {
    return yarn.hadoop()
            .getBoolean(
                YarnConfiguration.RM_SCHEDULER_INCLUDE_PORT_IN_NODE_NAME,
                YarnConfiguration.DEFAULT_RM_SCHEDULER_USE_PORT_FOR_NODE_NAME)
        ? node.toString()
        : node.getHost();
  }

  @Override
  public ContainerLaunchContext prepare(ContainerLaunch launch) {
    return launch.context(yarn.tokensForWorkers());
  }

  @Override
  public void startContainer(Container container, ContainerLaunchContext context) {
    nodeManagers.orElseThrow().start(container, context);
  }

  @Override
  public void stopContainer(ContainerId container, NodeId node) {
    nodeManagers.orElseThrow().stop(container, node);
  }

  @Override
  public ContainerStatus containerStatus(ContainerId container, NodeId node) throws IOException {
    return yarn.as(() -> nodeManagers.orElseThrow().status(container, node));
  }

  @Override
  public List<NodeReport> decommissioningNodes() throws IOException {
    return yarn.as(
        () -> {
          YarnClient client = YarnStatusQuery.connect(yarn.hadoop());
          try {
            return client.getNodeReports(NodeState.DECOMMISSIONING);
          } finally {
            client.stop();
          }
        });
  }

  @Override
  public Optional<String> query() {
    return statusQuery.orElseThrow().ask();
  }

  @Override
  public void unregister(DriverTermination.Over outcome) {
    FinalApplicationStatus status = status(outcome.status());
    try {
      resourceManager.unregisterApplicationMaster(
          status,
          truncate(outcome.diagnostics()),
          HistoryOptions.address(configuration).orElse(""));
      LOG.info("YARN knows that the application is over: {}", status);
    } catch (YarnException | IOException | RuntimeException e) {
      LOG.warn("YARN could not be told that the application is over ({})", status, e);
    }
    removeStaging();
  }

  static FinalApplicationStatus status(ApplicationStatus status) {
    return switch (status) {
      case SUCCEEDED -> FinalApplicationStatus.SUCCEEDED;
      case FAILED, UNKNOWN -> FinalApplicationStatus.FAILED;
      case CANCELED -> FinalApplicationStatus.KILLED;
    };
  }

  static String truncate(String diagnostics) {
    return diagnostics.length() <= MAX_DIAGNOSTICS
        ? diagnostics
        : diagnostics.substring(0, MAX_DIAGNOSTICS) + "…";
  }

  /** Also if YARN was not told: an attempt that YARN started then would run everything again. */
  private void removeStaging() {
    try {
      yarn.removeStaging();
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} is left behind", yarn.staging().orElseThrow(), e);
    }
  }

  @Override
  public void close() {
    statusQuery.ifPresent(YarnStatusQuery::close);
    nodeManagers.ifPresent(NodeManagerClient::close);
    resourceManager.stop();
  }
}
