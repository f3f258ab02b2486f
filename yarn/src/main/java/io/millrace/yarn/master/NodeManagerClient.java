package io.millrace.yarn.master;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.NMTokenCache;
import org.apache.hadoop.yarn.client.api.async.NMClientAsync;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and stops containers through YARN's NodeManagers. */
final class NodeManagerClient {
  private static final Logger LOG = LoggerFactory.getLogger(NodeManagerClient.class);

  /** Another container is available sooner than after the three minutes of the library. */
  private static final int CONNECT_TIMEOUT_MILLIS = 15_000;

  private static final int RETRY_INTERVAL_MILLIS = 1_000;

  /**
   * Connections to nodes that are kept for some seconds. Without any, the library's thread for
   * requests does not sleep while a connection is open, and takes a whole processor.
   */
  private static final int KEPT_CONNECTIONS = 16;

  private final NMClientAsync client;

  /**
   * @param tokens that authenticate this application to NodeManagers
   * @param notStarted called with a container that could not be started, in a thread of the library
   * @param started called when a container was started, in a thread of the library
   */
  NodeManagerClient(
      Configuration hadoop,
      NMTokenCache tokens,
      BiConsumer<ContainerId, Throwable> notStarted,
      Runnable started) {
    // Of this class, because the library would read all files again for another one.
    YarnConfiguration bounded = new YarnConfiguration(hadoop);
    setUnlessConfigured(
        bounded,
        YarnConfiguration.CLIENT_NM_CONNECT_MAX_WAIT_MS,
        String.valueOf(CONNECT_TIMEOUT_MILLIS));
    setUnlessConfigured(
        bounded,
        YarnConfiguration.CLIENT_NM_CONNECT_RETRY_INTERVAL_MS,
        String.valueOf(RETRY_INTERVAL_MILLIS));
    setUnlessConfigured(
        bounded, YarnConfiguration.NM_CLIENT_MAX_NM_PROXIES, String.valueOf(KEPT_CONNECTIONS));
    client = NMClientAsync.createNMClientAsync(new Callbacks(notStarted, started));
    client.getClient().setNMTokenCache(tokens);
    client.init(bounded);
    client.start();
    // The next attempt of the application recovers the running containers.
    client.getClient().cleanupRunningContainersOnStop(false);
  }

  /** Keeps a value that an administrator has set. */
  private static void setUnlessConfigured(Configuration hadoop, String key, String value) {
    String[] sources = hadoop.getPropertySources(key);
    if (sources == null || sources[0].endsWith("yarn-default.xml")) {
      hadoop.set(key, value);
    }
  }

  void start(Container container, ContainerLaunchContext context) {
    client.startContainerAsync(container, context);
  }

  void stop(ContainerId container, NodeId node) {
    client.stopContainerAsync(container, node);
  }

  /** Blocks. */
  ContainerStatus status(ContainerId container, NodeId node) throws YarnException, IOException {
    return client.getClient().getContainerStatus(container, node);
  }

  void close() {
    client.stop();
  }

  /** The ResourceManager reports the ends of containers. */
  private static final class Callbacks extends NMClientAsync.AbstractCallbackHandler {
    private final BiConsumer<ContainerId, Throwable> notStarted;
    private final Runnable started;

    Callbacks(BiConsumer<ContainerId, Throwable> notStarted, Runnable started) {
      this.notStarted = notStarted;
      this.started = started;
    }

    @Override
    public void onContainerStarted(ContainerId container, Map<String, ByteBuffer> answers) {
      LOG.debug("{} runs", container);
      started.run();
    }

    @Override
    public void onStartContainerError(ContainerId container, Throwable cause) {
      notStarted.accept(container, cause);
    }

    @Override
    public void onContainerStopped(ContainerId container) {
      LOG.debug("{} stops", container);
    }

    @Override
    public void onStopContainerError(ContainerId container, Throwable cause) {
      // The ResourceManager stops it, too, through the heartbeats of the node.
      LOG.info("The NodeManager could not stop {}: {}", container, cause.toString());
    }

    @Override
    public void onContainerStatusReceived(ContainerId container, ContainerStatus status) {}

    @Override
    public void onGetContainerStatusError(ContainerId container, Throwable cause) {}

    @Override
    public void onContainerResourceUpdated(ContainerId container, Resource resource) {}

    @Override
    public void onUpdateContainerResourceError(ContainerId container, Throwable cause) {}

    @Override
    @Deprecated
    public void onContainerResourceIncreased(ContainerId container, Resource resource) {}

    @Override
    @Deprecated
    public void onIncreaseContainerResourceError(ContainerId container, Throwable cause) {}
  }
}
