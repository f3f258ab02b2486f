package io.millrace.ha.zookeeper;

import io.millrace.control.ha.ClusterRegistry;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.HaStoreEntry;
import io.millrace.control.ha.KeyFileName;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clusters below the root. */
final class ZooKeeperClusters implements ClusterRegistry {
  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperClusters.class);

  /** ZooKeeper takes requests of 1 MiB by default, and the path of a node is short. */
  private static final int MAX_CHANGES = 2_000;

  /** How many parts the id of a cluster may have that is found: {@code a/b/c}. */
  private static final int MAX_PARTS = 3;

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
    find("", 1, found);
    found.sort(Comparator.comparing(Cluster::id));
    return found;
  }

  /** An id may have several parts, each of which is a node. */
  private void find(String parent, int parts, List<Cluster> found) {
    for (String name : children(parent.isEmpty() ? root : paths(parent).cluster())) {
      String id = parent.isEmpty() ? name : parent + "/" + name;
      ZooKeeperPaths paths = paths(id);
      Optional<Cluster> cluster =
          ZooKeeperErrors.call("read " + paths.cluster(), () -> cluster(id, paths));
      cluster.ifPresent(found::add);
      if (cluster.isEmpty() && parts < MAX_PARTS) {
        find(id, parts + 1, found);
      }
    }
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

  /**
   * Empty if the node is not that of a cluster, or is being removed. A removal that was interrupted
   * leaves a cluster without a latch.
   */
  private Optional<Cluster> cluster(String id, ZooKeeperPaths paths) throws Exception {
    try {
      byte[] content = client.getData().forPath(paths.store());
      long last = 0;
      for (String node : subtree(paths)) {
        Stat stat = client.checkExists().forPath(node);
        last = stat == null ? last : Math.max(last, stat.getMtime());
      }
      return Optional.of(
          new Cluster(
              id,
              paths.cluster(),
              children(paths.latch()).size(),
              knownLeader(paths),
              ZooKeeperPaths.storage(content),
              Instant.ofEpochMilli(last)));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }

  /** A damaged address of one cluster must not hide the others. */
  private Optional<LeaderRecord> knownLeader(ZooKeeperPaths paths) throws Exception {
    try {
      return leader(paths);
    } catch (MillraceException e) {
      LOG.warn("{}: {}", paths.leader(), e.getMessage());
      return Optional.empty();
    }
  }

  private Optional<LeaderRecord> leader(ZooKeeperPaths paths) throws Exception {
    try {
      return LeaderRecord.find(ZooKeeperPaths.content(client.getData().forPath(paths.leader())));
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
          while (client.checkExists().forPath(paths.cluster()) != null) {
            try {
              removeInSteps(paths);
            } catch (KeeperException.NotEmptyException e) {
              return false;
            } catch (KeeperException.NoNodeException e) {
              // Another process removes it, too, or Curator has repeated a step whose answer was
              // lost. What is left is removed next.
            }
          }
          return true;
        });
  }

  /** The last step is a full one: a cluster keeps its own nodes until its values are removed. */
  private void removeInSteps(ZooKeeperPaths paths) throws Exception {
    List<String> nodes = subtree(paths);
    if (client.checkExists().forPath(paths.latch()) != null) {
      nodes.add(0, paths.latch());
    }
    int begin = 0;
    while (begin < nodes.size()) {
      int left = nodes.size() - begin;
      int end = begin + (left % MAX_CHANGES == 0 ? MAX_CHANGES : left % MAX_CHANGES);
      List<CuratorOp> step = new ArrayList<>();
      for (String node : nodes.subList(begin, end)) {
        step.add(client.transactionOp().delete().forPath(node));
      }
      client.transaction().forOperations(step);
      begin = end;
    }
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
              byte[] content = ZooKeeperPaths.content(client.getData().forPath(path)).toArray();
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
