package io.millrace.it;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server of ZooKeeper in the process of the tests, for all tests of a class. */
final class ZooKeeperServer implements BeforeAllCallback, AfterAllCallback {
  private static final int TICK_MILLIS = 500;
  private static final int MAX_CONNECTIONS = 100;

  private final Duration maxSession;
  private TestingServer server;

  /**
   * @param maxSession the longest time-out of a session
   */
  ZooKeeperServer(Duration maxSession) {
    this.maxSession = maxSession;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    server =
        new TestingServer(
            new InstanceSpec(
                null,
                -1,
                -1,
                -1,
                true,
                -1,
                TICK_MILLIS,
                MAX_CONNECTIONS,
                Map.of("maxSessionTimeout", String.valueOf(maxSession.toMillis()))),
            true);
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    server.close();
  }

  /** The arguments with which processes use this server, and further options. */
  List<String> arguments(Duration session, String... options) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "high-availability.type=zookeeper",
                "high-availability.zookeeper.quorum=" + server.getConnectString(),
                "high-availability.zookeeper.client.session-timeout="
                    + session.toMillis()
                    + " ms"));
    all.addAll(List.of(options));
    return all.stream().flatMap(option -> List.of("-D", option).stream()).toList();
  }

  /** The clusters that have nodes. */
  List<String> clusters() throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100))) {
      client.start();
      return client.getChildren().forPath("/millrace");
    }
  }
}
