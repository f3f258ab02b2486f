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
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
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

  @Test
  void clusterWithManyNodesIsRemovedInSteps() throws Exception {
    try (Coordinator large = lead("large")) {
      for (int i = 0; i < 2_100; i++) {
        large.store().write("jobs/" + i, Bytes.EMPTY, HaStore.ABSENT, 1);
      }
    }
    assertThat(registry.remove(registry.clusters().get(0))).isTrue();
    assertThat(registry.clusters()).isEmpty();
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
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(server.address(), new RetryOneTime(100))) {
      client.start();
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
