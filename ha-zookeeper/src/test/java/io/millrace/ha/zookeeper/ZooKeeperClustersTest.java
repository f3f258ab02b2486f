package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.ClusterRegistry;
import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of what clusters leave at a real ZooKeeper server. */
class ZooKeeperClustersTest {
  private static final LeaderRecord ADDRESS = new LeaderRecord("one:1", "one:2");

  private final LiveEnv env = new LiveEnv("test");
  private TestZooKeeper server;
  private ClusterRegistry registry;

  @BeforeEach
  void start() throws Exception {
    server = new TestZooKeeper();
    registry = ZooKeeperClusters.open(configuration("any"));
  }

  @AfterEach
  void stop() throws Exception {
    registry.close();
    server.close();
    env.close();
  }

  private Configuration configuration(String id) {
    return server
        .configuration(Duration.ofSeconds(4))
        .with("high-availability.cluster-id", id)
        .with("high-availability.storageDir", "/data/ha");
  }

  private Coordinator lead(String id) throws Exception {
    Coordinator process = new ZooKeeperCoordinatorProvider().connect(configuration(id), env);
    CountDownLatch elected = new CountDownLatch(1);
    process.contend(
        ADDRESS,
        env.mailbox(id),
        new Coordinator.Contender() {
          @Override
          public void elected() {
            elected.countDown();
          }

          @Override
          public void dismissed() {}
        });
    assertThat(elected.await(60, TimeUnit.SECONDS)).isTrue();
    process.takeOver();
    process.publish(ADDRESS);
    return process;
  }

  @Test
  @Behaviour("G2: a tool sees which clusters live, and reads and removes what others have left")
  void livingAndEndedClustersAreTold() throws Exception {
    try (Coordinator living = lead("living")) {
      Coordinator ended = lead("ended");
      ended.store().write("jobs/1", Bytes.utf8("one"), HaStore.ABSENT, 1);
      assertThat(registry.clusters())
          .extracting(ClusterRegistry.Cluster::contenders)
          .containsExactly(1, 1);
      ended.close();

      List<ClusterRegistry.Cluster> found = registry.clusters();
      assertThat(found).extracting(ClusterRegistry.Cluster::id).containsExactly("ended", "living");
      ClusterRegistry.Cluster left = found.get(0);
      assertThat(left.contenders()).isZero();
      assertThat(left.leader()).isEmpty();
      assertThat(left.storage()).contains("/data/ha/ended");
      assertThat(left.lastChange()).isBetween(Instant.now().minusSeconds(600), Instant.now());
      assertThat(registry.store(left).list("")).containsExactly("jobs/1");
      assertThat(registry.store(left).read("jobs/1"))
          .hasValueSatisfying(value -> assertThat(value.value()).isEqualTo(Bytes.utf8("one")));
      assertThat(found.get(1).leader()).contains(ADDRESS);

      assertThat(registry.remove(found.get(1))).as("one that lives stays").isFalse();
      assertThat(registry.remove(left)).isTrue();
      assertThat(registry.remove(left)).as("again").isTrue();
      assertThat(registry.clusters())
          .extracting(ClusterRegistry.Cluster::id)
          .containsExactly("living");
      living.store().write("jobs/2", Bytes.utf8("two"), HaStore.ABSENT, 1);
    }
  }

  private CuratorFramework client() {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(server.address(), new RetryOneTime(100));
    client.start();
    return client;
  }

  /** Leaves a cluster with a job, and returns it. */
  private ClusterRegistry.Cluster ended(String id) throws Exception {
    try (Coordinator process = lead(id)) {
      process.store().write("jobs/1", Bytes.utf8("one"), HaStore.ABSENT, 1);
    }
    return only();
  }

  private ClusterRegistry.Cluster only() {
    List<ClusterRegistry.Cluster> found = registry.clusters();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  /** Adds nodes to the store of a cluster. */
  private static void fill(CuratorFramework client, String store, int count) throws Exception {
    List<CuratorOp> creations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      creations.add(client.transactionOp().create().forPath(store + "/value-" + i, new byte[0]));
    }
    client.transaction().forOperations(creations);
  }

  @Test
  void clusterWithManyNodesIsRemovedInSteps() throws Exception {
    ClusterRegistry.Cluster large = ended("large");
    try (CuratorFramework client = client()) {
      fill(client, "/millrace/large/store", 2_100);

      assertThat(registry.remove(large)).isTrue();

      assertThat(client.getChildren().forPath("/millrace")).isEmpty();
    }
  }

  /** As when the process that removes it is killed after its first step. */
  @Test
  void clusterThatIsHalfRemovedIsListedAndRemoved() throws Exception {
    ended("half");
    try (CuratorFramework client = client()) {
      client.delete().forPath("/millrace/half/latch");

      ClusterRegistry.Cluster half = only();

      assertThat(half.contenders()).isZero();
      assertThat(half.storage()).contains("/data/ha/half");
      assertThat(registry.remove(half)).isTrue();
      assertThat(client.getChildren().forPath("/millrace")).isEmpty();
    }
  }

  @Test
  void severalProcessesMayRemoveAClusterAtOnce() throws Exception {
    ClusterRegistry.Cluster ended = ended("ended");
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try (CuratorFramework client = client()) {
      fill(client, "/millrace/ended/store", 2_100);
      List<Future<Boolean>> removals = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        removals.add(threads.submit(() -> registry.remove(ended)));
      }

      for (Future<Boolean> removal : removals) {
        assertThat(removal.get(2, TimeUnit.MINUTES)).isTrue();
      }
      assertThat(client.getChildren().forPath("/millrace")).isEmpty();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Tools must know them: files of a cluster that is not found look unused. */
  @Test
  void idOfSeveralPartsIsFound() throws Exception {
    try (Coordinator nested = lead("/team/one");
        Coordinator plain = lead("team-two");
        Coordinator deeper = lead("team/x/three")) {
      assertThat(registry.clusters())
          .extracting(ClusterRegistry.Cluster::id)
          .containsExactly("team-two", "team/one", "team/x/three");
      assertThat(registry.clusters())
          .allSatisfy(
              found -> {
                assertThat(found.contenders()).isEqualTo(1);
                assertThat(found.leader()).contains(ADDRESS);
                assertThat(found.storage()).contains("/data/ha/" + found.id());
                assertThat(registry.leader(found.id())).contains(ADDRESS);
              });
      plain.store().write("jobs/1", Bytes.EMPTY, HaStore.ABSENT, 1);
      assertThat(List.of(nested.leader(), deeper.leader())).doesNotContainNull();
    }
  }

  @Test
  void nodesThatAreNoClusterAreNotListed() throws Exception {
    ended("real");
    try (CuratorFramework client = client()) {
      client.create().creatingParentsIfNeeded().forPath("/millrace/other/deep/deeper/deepest");
      client.create().forPath("/millrace/empty", null);

      assertThat(only().id()).isEqualTo("real");
      assertThat(registry.leader("other")).isEmpty();
      assertThat(registry.leader("nobody")).isEmpty();
    }
  }

  /** One damaged address must not hide what the other clusters have left. */
  @Test
  void clusterWithADamagedLeaderIsListedAndKept() throws Exception {
    ended("a");
    try (CuratorFramework client = client()) {
      client.create().forPath("/millrace/a/leader", new byte[] {1, 2, 3});

      ClusterRegistry.Cluster damaged = only();

      assertThat(damaged.leader()).isEmpty();
      assertThatThrownBy(() -> registry.leader("a")).hasMessageContaining("cannot be parsed");
      assertThat(registry.remove(damaged)).as("its leader may live").isFalse();
      assertThat(registry.store(only()).list("")).containsExactly("jobs/1");
      for (byte[] empty : new byte[][] {{}, null}) {
        client.setData().forPath("/millrace/a/leader", empty);
        assertThat(registry.leader("a")).isEmpty();
        assertThat(only().leader()).isEmpty();
      }
    }
  }

  @Test
  void clusterWithForeignNodesIsKept() throws Exception {
    ClusterRegistry.Cluster ended = ended("a");
    try (CuratorFramework client = client()) {
      client.create().creatingParentsIfNeeded().forPath("/millrace/a/notes/mine");
      assertThat(registry.remove(ended)).isFalse();
      client.delete().forPath("/millrace/a/notes/mine");
      assertThat(registry.remove(ended)).isTrue();
    }
  }

  @Test
  void clusterWhoseStorageIsUnknownIsListed() throws Exception {
    ended("a");
    try (CuratorFramework client = client()) {
      for (byte[] empty : new byte[][] {{}, null}) {
        client.setData().forPath("/millrace/a/store", empty);
        assertThat(only().storage()).isEmpty();
      }
    }
  }

  @Test
  void storeOfAClusterIsReadOnlyAndTellsDamage() throws Exception {
    String longKey = "jobs/" + "x".repeat(500);
    try (Coordinator process = lead("a")) {
      process.store().write("jobs/1", Bytes.utf8("one"), HaStore.ABSENT, 1);
      process.store().write(longKey, Bytes.utf8("two"), HaStore.ABSENT, 1);
    }
    HaStore store = registry.store(only());
    assertThat(store.list("jobs/")).containsExactly("jobs/1", longKey);
    assertThat(store.list("results/")).isEmpty();
    assertThat(store.read("jobs/2")).isEmpty();
    assertThatThrownBy(() -> store.write("a", Bytes.EMPTY, HaStore.ABSENT, 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> store.delete("jobs/1", 1, 1))
        .isInstanceOf(UnsupportedOperationException.class);
    try (CuratorFramework client = client()) {
      for (byte[] damaged : new byte[][] {null, {}, {1}, new byte[8], new byte[100]}) {
        for (String node : client.getChildren().forPath("/millrace/a/store")) {
          client.setData().forPath("/millrace/a/store/" + node, damaged);
        }
        assertThatThrownBy(() -> store.read("jobs/1")).hasMessageContaining("is damaged");
        assertThatThrownBy(() -> store.list("")).hasMessageContaining("is damaged");
      }
    }
  }

  @Test
  @Behaviour("G2: a cluster that was shut down leaves no nodes in ZooKeeper")
  void lastProcessOfAnEmptyClusterRemovesItsNodes() throws Exception {
    Coordinator leader = lead("a");
    Coordinator worker = new ZooKeeperCoordinatorProvider().connect(configuration("a"), env);
    long version = leader.store().write("jobs/1", Bytes.EMPTY, HaStore.ABSENT, 1);
    leader.close();
    assertThat(registry.clusters()).as("its jobs can be recovered").hasSize(1);

    leader = lead("a");
    leader.store().delete("jobs/1", version, 1);
    leader.close();
    worker.close();

    assertThat(registry.clusters()).isEmpty();
    try (CuratorFramework client = client()) {
      assertThat(client.getChildren().forPath("/millrace")).isEmpty();
    }
  }

  @Test
  @Behaviour(
      "G2: a leader of a cluster that was removed cannot write to a new cluster with the same id")
  void formerLeaderCannotWriteIntoANewClusterWithTheSameId() throws Exception {
    Coordinator frozen = new ZooKeeperCoordinatorProvider().connect(configuration("a"), env);
    frozen.takeOver();
    assertThat(registry.remove(registry.clusters().get(0))).isTrue();

    try (Coordinator next = lead("a")) {
      assertThatThrownBy(
              () -> frozen.store().write("jobs/1", Bytes.EMPTY, HaStore.ABSENT, Long.MAX_VALUE))
          .isInstanceOf(StaleWriteException.class);
      assertThatThrownBy(() -> frozen.publish(ADDRESS)).isInstanceOf(StaleWriteException.class);
      assertThat(next.store().list("")).isEmpty();
      frozen.close();
      assertThat(registry.clusters()).hasSize(1);
    }
  }
}
