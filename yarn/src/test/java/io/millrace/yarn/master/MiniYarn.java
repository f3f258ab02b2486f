package io.millrace.yarn.master;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationAttemptState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A ResourceManager and NodeManagers in this JVM, the same for all tests that want it. */
final class MiniYarn implements AutoCloseable {
  static final int LARGEST_MB = 4096;

  /** One of them may be stopped by a test. */
  private static final int NODES = 3;

  private final MiniYARNCluster cluster;
  private final YarnClient client;
  private final AtomicInteger applications = new AtomicInteger();

  private MiniYarn() throws IOException {
    YarnConfiguration configuration = new YarnConfiguration();
    configuration.set("yarn.scheduler.capacity.root.queues", "default");
    configuration.set("yarn.scheduler.capacity.root.default.capacity", "100");
    configuration.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.8");
    configuration.set(
        "yarn.scheduler.capacity.resource-calculator",
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    configuration.setInt("yarn.scheduler.minimum-allocation-mb", 128);
    configuration.setInt("yarn.scheduler.maximum-allocation-mb", LARGEST_MB);
    configuration.setInt("yarn.nodemanager.resource.memory-mb", LARGEST_MB);
    configuration.setInt("yarn.nodemanager.resource.cpu-vcores", 16);
    configuration.setInt("yarn.scheduler.maximum-allocation-vcores", 16);
    // A node that has stopped is to be missed soon, and a busy one not.
    configuration.setInt("yarn.nm.liveness-monitor.expiry-interval-ms", 4000);
    configuration.setInt("yarn.nodemanager.log.retain-seconds", 0);
    configuration.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    configuration.setFloat(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", 99);
    configuration.setBoolean("yarn.minicluster.fixed.ports", false);
    Path temporary = Files.createTempDirectory("mini-yarn");
    configuration.set("yarn.node-attribute.fs-store.root-dir", temporary.toUri().toString());
    cluster = new MiniYARNCluster("mini-yarn", NODES, 1, 1);
    cluster.init(configuration);
    cluster.start();
    client = YarnClient.createYarnClient();
    client.init(cluster.getConfig());
    client.start();
  }

  YarnConfiguration configuration() {
    return new YarnConfiguration(cluster.getConfig());
  }

  YarnClient client() {
    return client;
  }

  /** The daemon of the node that listens there. */
  NodeManager node(int port) {
    for (int i = 0; i < NODES; i++) {
      NodeManager node = cluster.getNodeManager(i);
      if (node.getNMContext().getNodeId().getPort() == port) {
        return node;
      }
    }
    throw new IllegalArgumentException("No node listens on " + port);
  }

  /** An application whose master is the test itself. */
  Application application() throws YarnException, IOException, InterruptedException {
    ApplicationSubmissionContext context =
        client.createApplication().getApplicationSubmissionContext();
    context.setApplicationName("test-" + applications.incrementAndGet());
    context.setUnmanagedAM(true);
    context.setKeepContainersAcrossApplicationAttempts(true);
    context.setMaxAppAttempts(1);
    context.setQueue("default");
    context.setResource(Resource.newInstance(128, 1));
    context.setAMContainerSpec(
        ContainerLaunchContext.newInstance(null, null, null, null, null, null));
    ApplicationId id = client.submitApplication(context);
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!isLaunched(id)) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(client.getApplicationReport(id));
      }
      Thread.onSpinWait();
    }
    UserGroupInformation user =
        UserGroupInformation.createRemoteUser(
            UserGroupInformation.getCurrentUser().getShortUserName());
    user.addToken(client.getAMRMToken(id));
    return new Application(id, user);
  }

  private boolean isLaunched(ApplicationId id) throws YarnException, IOException {
    ApplicationReport report = client.getApplicationReport(id);
    return report.getCurrentApplicationAttemptId() != null
        && client
                .getApplicationAttemptReport(report.getCurrentApplicationAttemptId())
                .getYarnApplicationAttemptState()
            == YarnApplicationAttemptState.LAUNCHED;
  }

  @Override
  public void close() {
    client.stop();
    cluster.stop();
  }

  final class Application {
    private final ApplicationId id;
    private final UserGroupInformation user;

    private Application(ApplicationId id, UserGroupInformation user) {
      this.id = id;
      this.user = user;
    }

    Yarn yarn() {
      return new Yarn(configuration(), id.toString(), user, Optional.empty());
    }

    Yarn yarn(Path staging) {
      return new Yarn(configuration(), id.toString(), user, Optional.of(staging.toUri()));
    }

    ApplicationReport report() {
      try {
        return client.getApplicationReport(id);
      } catch (YarnException | IOException e) {
        throw new IllegalStateException(e);
      }
    }

    int containers() {
      return report().getApplicationResourceUsageReport().getNumUsedContainers();
    }

    void kill() throws YarnException, IOException {
      client.killApplication(id);
    }
  }

  /** Hands it to tests; it ends after the last one of the JVM. */
  static final class Extension implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == MiniYarn.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(ExtensionContext.Namespace.create(MiniYarn.class))
          .computeIfAbsent(
              MiniYarn.class,
              type -> {
                try {
                  return new MiniYarn();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              },
              MiniYarn.class);
    }
  }
}
