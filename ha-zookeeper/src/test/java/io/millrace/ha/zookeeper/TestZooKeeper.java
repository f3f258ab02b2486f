package io.millrace.ha.zookeeper;

import io.millrace.core.config.Configuration;
import java.io.IOException;
import java.time.Duration;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/** A ZooKeeper server for a test. */
final class TestZooKeeper implements AutoCloseable {
  private static final int TICK_MILLIS = 200;

  private final TestingServer server;

  TestZooKeeper() throws Exception {
    server =
        new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, 100), true);
  }

  int port() {
    return server.getPort();
  }

  String address() {
    return server.getConnectString();
  }

  Configuration configuration(Duration session) {
    return configuration(address(), session);
  }

  /**
   * @param session between 2 and 20 ticks
   */
  static Configuration configuration(String quorum, Duration session) {
    return Configuration.EMPTY
        .with(ZooKeeperOptions.QUORUM, quorum)
        .with(ZooKeeperOptions.SESSION_TIMEOUT, session)
        .with(ZooKeeperOptions.CONNECTION_TIMEOUT, Duration.ofSeconds(30))
        .with(ZooKeeperOptions.ENSEMBLE_TRACKER, false)
        .with(ZooKeeperOptions.RETRY_WAIT, Duration.ofMillis(100))
        .with(ZooKeeperOptions.MAX_RETRY_ATTEMPTS, 8);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
