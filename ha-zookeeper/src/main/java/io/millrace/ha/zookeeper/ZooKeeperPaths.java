package io.millrace.ha.zookeeper;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.ha.zookeeper.nodes.NodeHaStore;
import io.millrace.ha.zookeeper.nodes.NodeSession;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.common.PathUtils;

/**
 * The nodes of a cluster.
 *
 * @param fence has another name each time the nodes of the cluster are created. Its version begins
 *     anew then, and a former leader of an earlier cluster must not find it.
 */
record ZooKeeperPaths(String cluster, String fence) {
  private static final String FENCE = "/fence";
  private static final int ANY_VERSION = -1;

  /** Before {@link #create}. */
  static ZooKeeperPaths of(Configuration configuration) {
    String root = root(configuration);
    return new ZooKeeperPaths(
        checked(
            (root.equals("/") ? "" : root)
                + absolute(configuration.get(HighAvailabilityOptions.HA_CLUSTER_ID))),
        "");
  }

  /** The node below which clusters have theirs. */
  static String root(Configuration configuration) {
    return checked(absolute(configuration.get(ZooKeeperOptions.ROOT)));
  }

  private static String checked(String path) {
    try {
      PathUtils.validatePath(path);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          ZooKeeperOptions.ROOT.key()
              + " and "
              + HighAvailabilityOptions.HA_CLUSTER_ID.key()
              + " give '"
              + path
              + "', which is not a path of ZooKeeper: "
              + e.getMessage(),
          e);
    }
    return path;
  }

  private static String absolute(String path) {
    return path.startsWith("/") ? path : "/" + path;
  }

  String latch() {
    return cluster + "/latch";
  }

  /**
   * Creates the nodes that all processes share, unless they are there, and finds the fence.
   *
   * @param storage the directory with the files of the cluster, if this process knows it
   */
  ZooKeeperPaths create(CuratorFramework client, Optional<String> storage) {
    ZooKeeperPaths found =
        ZooKeeperErrors.call(
            "use " + cluster,
            () -> {
              Optional<String> known = fence(client);
              while (known.isEmpty()) {
                createAll(client);
                known = fence(client);
              }
              return new ZooKeeperPaths(cluster, known.get());
            });
    storage.ifPresent(
        directory ->
            ZooKeeperErrors.call(
                "use " + store(), () -> client.setData().forPath(store(), encode(directory))));
    return found;
  }

  private static byte[] encode(String storage) {
    return storage.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The directory with the files of the cluster.
   *
   * @param content of {@link #store}
   */
  static Optional<String> storage(byte[] content) {
    Bytes directory = content(content);
    return directory.length() == 0
        ? Optional.empty()
        : Optional.of(new String(directory.toArray(), StandardCharsets.UTF_8));
  }

  /** The content of a node, which is null if it was created without one. */
  static Bytes content(byte[] read) {
    return read == null ? Bytes.EMPTY : Bytes.wrap(read);
  }

  private Optional<String> fence(CuratorFramework client) throws Exception {
    try {
      return client.getChildren().forPath(cluster).stream()
          .map(name -> cluster + "/" + name)
          .filter(path -> path.startsWith(cluster + FENCE))
          .findFirst();
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }

  /** In one step, so that there is one fence. */
  private void createAll(CuratorFramework client) throws Exception {
    byte[] nothing = new byte[0];
    try {
      if (client.checkExists().forPath(cluster) == null) {
        client.create().creatingParentsIfNeeded().forPath(cluster, nothing);
      }
      client
          .transaction()
          .forOperations(
              client.transactionOp().create().forPath(latch(), nothing),
              client.transactionOp().create().forPath(store(), nothing),
              client
                  .transactionOp()
                  .create()
                  .forPath(cluster + FENCE + "-" + UUID.randomUUID(), nothing));
    } catch (KeeperException.NodeExistsException | KeeperException.NoNodeException e) {
      // Another process was faster, or has removed the node of the cluster.
    }
  }

  /**
   * Removes the nodes if no recovery data and no contender is left. In one step, so that nobody
   * sees half of them. Not repeated if the connection breaks.
   */
  void removeIfEmpty(ZooKeeper session) throws InterruptedException, KeeperException {
    try {
      session.multi(
          Stream.of(latch(), store(), fence, cluster)
              .map(node -> Op.delete(node, ANY_VERSION))
              .toList());
    } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException e) {
      // Other processes need them, or have removed them.
    }
  }

  String leader() {
    return of(NodeSession.LEADER);
  }

  String store() {
    return of(NodeHaStore.DIRECTORY);
  }

  String value(String key) {
    return of(NodeHaStore.node(key));
  }

  /** The path of a node below the node of the cluster. */
  String of(String node) {
    return cluster + "/" + node;
  }
}
