package io.millrace.yarn.master;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Talks to YARN's NodeManagers: starts and stops containers. */
final class NodeManagerClient {
  private static final Logger LOG = LoggerFactory.getLogger(NodeManagerClient.class);

  /** Other containers are to be had sooner than by the library's three minutes. */
  private static final int PATIENCE_MILLIS = 15_000;

  private static final int RETRY_MILLIS = 1_000;

  private final NMClientAsync client;

  /**
   * @param tokens by which nodes know that containers are this application's
   * @param notStarted told which container could not be started, in a thread of the library's
   */
  NodeManagerClient(
      Configuration hadoop, NMTokenCache tokens, BiConsumer<ContainerId, Throwable> notStarted) {
    Configuration impatient = new Configuration(hadoop);
    shorten(
        impatient,
        YarnConfiguration.CLIENT_NM_CONNECT_MAX_WAIT_MS,
        String.valueOf(PATIENCE_MILLIS));
    shorten(
        impatient,
        YarnConfiguration.CLIENT_NM_CONNECT_RETRY_INTERVAL_MS,
        String.valueOf(RETRY_MILLIS));
    client = NMClientAsync.createNMClientAsync(new Callbacks(notStarted));
    client.getClient().setNMTokenCache(tokens);
    client.init(impatient);
    client.start();
    // Where only this attempt ends, the next one takes over what runs.
    client.getClient().cleanupRunningContainersOnStop(false);
  }

  /** What an administrator has set stays. */
  private static void shorten(Configuration hadoop, String key, String value) {
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

  void close() {
    client.stop();
  }

  /** Of how containers end the ResourceManager tells. */
  private static final class Callbacks extends NMClientAsync.AbstractCallbackHandler {
    private final BiConsumer<ContainerId, Throwable> notStarted;

    Callbacks(BiConsumer<ContainerId, Throwable> notStarted) {
      this.notStarted = notStarted;
    }

    @Override
    public void onContainerStarted(ContainerId container, Map<String, ByteBuffer> answers) {
      LOG.debug("{} runs", container);
    }

    @Override
    public void onStartContainerError(ContainerId container, Throwable cause) {
      notStarted.accept(container, cause);
    }

    @Override
    public void onContainerStopped(ContainerId container) {
      LOG.debug("{} is told to stop", container);
    }

    @Override
    public void onStopContainerError(ContainerId container, Throwable cause) {
      // The ResourceManager was told as well, and its word reaches the node in the end.
      LOG.info("{} cannot be told to stop: {}", container, cause.toString());
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
