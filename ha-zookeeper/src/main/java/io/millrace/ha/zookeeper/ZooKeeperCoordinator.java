package io.millrace.ha.zookeeper;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.fs.FilePath;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.ha.zookeeper.nodes.PeerSettings;
import io.millrace.rpc.Env;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;

/** Connects processes to ZooKeeper. */
final class ZooKeeperCoordinator {
  private ZooKeeperCoordinator() {}

  /** Connects within {@code high-availability.zookeeper.client.connection-timeout}. */
  static NodeCoordinator connect(Configuration configuration, Env env) {
    ZooKeeperPaths named = ZooKeeperPaths.of(configuration);
    CuratorFramework client = ZooKeeperConnection.open(configuration);
    try {
      ZooKeeperPaths paths = named.create(client, storage(configuration));
      return new NodeCoordinator(
          env,
          new CuratorNodes(
              client,
              paths,
              ZooKeeperConnection.acl(configuration),
              "ZooKeeper at "
                  + ZooKeeperConnection.quorum(configuration)
                  + ", node "
                  + paths.cluster()),
          new NodeCoordinator.Peers(
              new TcpPeers(configuration.get(ZooKeeperOptions.FAILOVER_TIMEOUT)),
              new PeerSettings(
                  configuration.get(ZooKeeperOptions.FAILOVER_ENABLED),
                  configuration.get(ZooKeeperOptions.FAILOVER_REFUSALS),
                  configuration.get(ZooKeeperOptions.FAILOVER_INTERVAL))));
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private static Optional<String> storage(Configuration configuration) {
    String id = configuration.get(HighAvailabilityOptions.HA_CLUSTER_ID);
    return configuration
        .find(HighAvailabilityOptions.HA_STORAGE_PATH)
        .map(
            directory ->
                FilePath.parse(directory)
                    .child(id.startsWith("/") ? id.substring(1) : id)
                    .toString());
  }
}
