package io.millrace.ha.zookeeper;

import io.millrace.control.ha.ClusterRegistry;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.HaStoreEntry;
import io.millrace.control.ha.KeyFileName;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** The clusters below the root. */
final class ZooKeeperClusters implements ClusterRegistry {
  /** ZooKeeper takes requests of 1 MiB by default, and the path of a node is short. */
  private static final int MAX_CHANGES = 2_000;

  private final CuratorFramework client;
  private final String root;
  private final String quorum;

  private ZooKeeperClusters(CuratorFramework client, String root, String quorum) {
    this.client = client;
    this.root = root;
    this.quorum = quorum;
  }

  static ZooKeeperClusters open(Configuration configuration) {
    String root = ZooKeeperPaths.root(configuration);
    return new ZooKeeperClusters(
        ZooKeeperConnection.open(configuration), root, ZooKeeperConnection.quorum(configuration));
  }

  @Override
  public List<Cluster> clusters() {
    List<Cluster> found = new ArrayList<>();
    for (String name : children(root)) {
      ZooKeeperPaths paths = paths(name);
      ZooKeeperErrors.call("read " + paths.cluster(), () -> cluster(name, paths))
          .ifPresent(found::add);
    }
    return found;
  }

  private ZooKeeperPaths paths(String id) {
    return new ZooKeeperPaths(
        (root.equals("/") ? "" : root) + (id.startsWith("/") ? id : "/" + id), "");
  }

  @Override
  public Optional<LeaderRecord> leader(String id) {
    ZooKeeperPaths paths = paths(id);
    return ZooKeeperErrors.call("read " + paths.leader(), () -> leader(paths));
  }

  private List<String> children(String path) {
    return ZooKeeperErrors.call(
        "list " + path,
        () -> {
          try {
            List<String> names = new ArrayList<>(client.getChildren().forPath(path));
            Collections.sort(names);
            return names;
          } catch (KeeperException.NoNodeException e) {
            return List.of();
          }
        });
  }

  /** Empty if the node is not that of a cluster, or is being removed. */
  private Optional<Cluster> cluster(String name, ZooKeeperPaths paths) throws Exception {
    try {
      int contenders = client.getChildren().forPath(paths.latch()).size();
      Optional<LeaderRecord> leader = leader(paths);
      Optional<String> storage = ZooKeeperPaths.storage(client.getData().forPath(paths.store()));
      long last = 0;
      for (String node : subtree(paths)) {
        Stat stat = client.checkExists().forPath(node);
        last = stat == null ? last : Math.max(last, stat.getMtime());
      }
      return Optional.of(
          new Cluster(
              name, paths.cluster(), contenders, leader, storage, Instant.ofEpochMilli(last)));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }

  private Optional<LeaderRecord> leader(ZooKeeperPaths paths) throws Exception {
    try {
      return Optional.of(LeaderRecord.decode(Bytes.wrap(client.getData().forPath(paths.leader()))));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }

  /** The nodes of a cluster except those of contenders and of the leader, children first. */
  private List<String> subtree(ZooKeeperPaths paths) {
    List<String> nodes = new ArrayList<>();
    children(paths.store()).forEach(name -> nodes.add(paths.store() + "/" + name));
    for (String name : children(paths.cluster())) {
      String node = paths.cluster() + "/" + name;
      if (!node.equals(paths.latch()) && !node.equals(paths.leader())) {
        nodes.add(node);
      }
    }
    nodes.add(paths.cluster());
    return nodes;
  }

  @Override
  public HaStore store(Cluster cluster) {
    return new ReadOnlyStore(paths(cluster.id()));
  }

  /**
   * The node of the latch goes first, which fails if it has children. A cluster with thousands of
   * nodes is removed in several steps, and a JobManager that starts meanwhile begins without data.
   */
  @Override
  public boolean remove(Cluster cluster) {
    ZooKeeperPaths paths = paths(cluster.id());
    return ZooKeeperErrors.call(
        "remove " + paths.cluster(),
        () -> {
          List<String> nodes = new ArrayList<>(List.of(paths.latch()));
          nodes.addAll(subtree(paths));
          try {
            for (int i = 0; i < nodes.size(); i += MAX_CHANGES) {
              List<CuratorOp> step = new ArrayList<>();
              for (String node : nodes.subList(i, Math.min(nodes.size(), i + MAX_CHANGES))) {
                step.add(client.transactionOp().delete().forPath(node));
              }
              client.transaction().forOperations(step);
            }
            return true;
          } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException e) {
            return client.checkExists().forPath(paths.cluster()) == null;
          }
        });
  }

  @Override
  public void close() {
    client.close();
  }

  @Override
  public String toString() {
    return "ZooKeeper at " + quorum + ", node " + root;
  }

  /** The nodes with the recovery data of a cluster. */
  private final class ReadOnlyStore implements HaStore {
    private final ZooKeeperPaths paths;

    ReadOnlyStore(ZooKeeperPaths paths) {
      this.paths = paths;
    }

    @Override
    public Optional<Versioned> read(String key) {
      return entry(paths.value(key)).map(entry -> new Versioned(entry.value(), entry.version()));
    }

    /** A node begins with the id of the write. */
    private Optional<HaStoreEntry> entry(String path) {
      return ZooKeeperErrors.call(
          "read " + path,
          () -> {
            try {
              byte[] content = client.getData().forPath(path);
              int begin = Math.min(content.length, Long.BYTES);
              return Optional.of(
                  HaStoreEntry.decode(path, Arrays.copyOfRange(content, begin, content.length)));
            } catch (KeeperException.NoNodeException e) {
              return Optional.empty();
            }
          });
    }

    @Override
    public List<String> list(String prefix) {
      List<String> keys = new ArrayList<>();
      for (String name : children(paths.store())) {
        if (KeyFileName.isValue(name)) {
          KeyFileName.key(name)
              .or(() -> entry(paths.store() + "/" + name).map(HaStoreEntry::key))
              .filter(key -> key.startsWith(prefix))
              .ifPresent(keys::add);
        }
      }
      Collections.sort(keys);
      return keys;
    }

    @Override
    public long write(String key, Bytes value, long expectedVersion, long term) {
      throw new UnsupportedOperationException("read only");
    }

    @Override
    public void delete(String key, long expectedVersion, long term) {
      throw new UnsupportedOperationException("read only");
    }
  }
}
