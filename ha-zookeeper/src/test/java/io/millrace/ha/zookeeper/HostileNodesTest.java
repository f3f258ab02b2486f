package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes that something else than this release has written. */
class HostileNodesTest {
  private static final String STORE = "/millrace/default/store";
  private static final Bytes ONE = Bytes.utf8("one");

  private final LiveEnv env = new LiveEnv("test");
  private TestZooKeeper server;
  private NodeCoordinator process;
  private HaStore store;
  private CuratorFramework intruder;

  @BeforeEach
  void start() throws Exception {
    server = new TestZooKeeper();
    process = ZooKeeperCoordinator.connect(server.configuration(Duration.ofSeconds(4)), env);
    process.takeOver();
    store = process.store();
    intruder = CuratorFrameworkFactory.newClient(server.address(), new RetryOneTime(100));
    intruder.start();
  }

  @AfterEach
  void stop() throws Exception {
    intruder.close();
    process.close();
    server.close();
    env.close();
  }

  private String node() throws Exception {
    List<String> names = intruder.getChildren().forPath(STORE);
    assertThat(names).hasSize(1);
    return STORE + "/" + names.get(0);
  }

  private static void assertDamaged(org.assertj.core.api.ThrowableAssert.ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining("is damaged")
        .hasMessageContaining("Nothing was deleted");
  }

  @Test
  @Behaviour("G2: a damaged value in ZooKeeper is an error that names its node; nothing is deleted")
  void damagedValueIsNeitherReadNorReplaced() throws Exception {
    store.write("jobs/a", ONE, HaStore.ABSENT, 1);
    String path = node();
    byte[] whole = intruder.getData().forPath(path);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 30; i++) {
      // The first bytes are the id of the write, which no hash covers.
      byte[] damaged =
          i % 2 == 0
              ? Arrays.copyOf(whole, random.nextInt(whole.length))
              : changed(whole, Long.BYTES + random.nextInt(whole.length - Long.BYTES));
      intruder.setData().forPath(path, damaged);
      assertDamaged(() -> store.read("jobs/a"));
      assertDamaged(() -> store.write("jobs/a", Bytes.utf8("two"), 1, 1));
      assertDamaged(() -> store.delete("jobs/a", 1, 1));
      assertThat(intruder.getData().forPath(path)).as("seed %s", seed).isEqualTo(damaged);
    }
    assertThatThrownBy(() -> store.read("jobs/a")).hasMessageContaining(path);
    intruder.setData().forPath(path, whole);
    assertThat(store.read("jobs/a")).contains(new HaStore.Versioned(ONE, 1));
  }

  private static byte[] changed(byte[] content, int index) {
    byte[] changed = content.clone();
    changed[index] ^= 1;
    return changed;
  }

  /** The client of ZooKeeper creates such nodes if it is given no content. */
  @Test
  void nodesWithoutContentAreDamagedOrEmpty() throws Exception {
    store.write("jobs/a", ONE, HaStore.ABSENT, 1);
    intruder.setData().forPath(node(), null);
    assertDamaged(() -> store.read("jobs/a"));
    assertDamaged(() -> store.delete("jobs/a", 1, 1));
    assertThat(store.list("")).containsExactly("jobs/a");

    process.publish(new LeaderRecord("one:1", "one:2"));
    await(() -> process.leader().isPresent());
    intruder.setData().forPath("/millrace/default/leader", null);
    await(() -> process.leader().isEmpty());
  }

  @Test
  void valueOfAnotherKeyIsDamaged() throws Exception {
    store.write("jobs/a", ONE, HaStore.ABSENT, 1);
    byte[] content = intruder.getData().forPath(node());
    store.write("jobs/b", ONE, HaStore.ABSENT, 1);
    for (String name : intruder.getChildren().forPath(STORE)) {
      intruder.setData().forPath(STORE + "/" + name, content);
    }
    assertThat(store.read("jobs/a")).isPresent();
    assertThatThrownBy(() -> store.read("jobs/b")).hasMessageContaining("the value of 'jobs/a'");
  }

  @Test
  void foreignNodesAreNotListed() throws Exception {
    store.write("jobs/a", ONE, HaStore.ABSENT, 1);
    intruder.create().forPath(STORE + "/notes", new byte[0]);
    intruder.create().forPath(STORE + "/value.old", new byte[] {1});
    assertThat(store.list("")).containsExactly("jobs/a");
    assertThat(store.list("jobs/")).containsExactly("jobs/a");
    assertThat(store.list("results/")).isEmpty();
    assertThat(store.read("notes")).isEmpty();
  }

  /** The key of such a node is only in its content. */
  @Test
  void longKeysAreListedFromTheirNodes() throws Exception {
    String key = "jobs/" + "x".repeat(500);
    store.write(key, ONE, HaStore.ABSENT, 1);
    assertThat(store.list("jobs/")).containsExactly(key);
    assertThat(store.list("other")).isEmpty();
    intruder.setData().forPath(node(), new byte[5]);
    assertDamaged(() -> store.list("jobs/"));
  }

  @Test
  void keysOfAnyCharactersAreKept() {
    List<String> keys =
        new ArrayList<>(List.of("a", "A", "ä", "a/b", "a//b", "../a", "%", "%41", "a b", "~", "."));
    for (String key : keys) {
      store.write(key, Bytes.utf8(key), HaStore.ABSENT, 1);
    }
    keys.sort(null);
    assertThat(store.list("")).isEqualTo(keys);
    for (String key : keys) {
      assertThat(store.read(key)).contains(new HaStore.Versioned(Bytes.utf8(key), 1));
      store.delete(key, 1, 1);
    }
    assertThat(store.list("")).isEmpty();
  }

  @Test
  void missingStoreIsAnErrorOfOneLine() throws Exception {
    intruder.delete().deletingChildrenIfNeeded().forPath(STORE);
    assertThatThrownBy(() -> store.list(""))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Cannot list recovery data in ZooKeeper");
    assertThat(store.read("a")).isEmpty();
  }

  /** Whoever removes the fence may be the next leader: no write may pass. */
  @Test
  void writeWithoutAFenceIsRefused() throws Exception {
    for (String child : intruder.getChildren().forPath("/millrace/default")) {
      if (child.startsWith("fence-")) {
        intruder.delete().forPath("/millrace/default/" + child);
      }
    }
    assertThatThrownBy(() -> store.write("a", ONE, HaStore.ABSENT, 1))
        .hasMessageContaining("another JobManager has taken over");
    assertThat(store.read("a")).isEmpty();
    assertThatThrownBy(process::takeOver)
        .hasMessageContaining("Cannot take over in ZooKeeper")
        .isInstanceOf(MillraceException.class);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  @Test
  void damagedAddressOfTheLeaderIsAnError() throws Exception {
    LeaderRecord leader = new LeaderRecord("one:1", "one:2");
    process.publish(leader);
    await(() -> process.leader().isPresent());
    assertThat(process.leader()).contains(leader);
    intruder.setData().forPath("/millrace/default/leader", new byte[0]);
    await(() -> process.leader().isEmpty());
    intruder.setData().forPath("/millrace/default/leader", new byte[] {1, 2, 3});
    await(
        () -> {
          try {
            return process.leader().isPresent();
          } catch (MillraceException e) {
            assertThat(e).hasMessageContaining("cannot be parsed");
            return true;
          }
        });
    assertThatThrownBy(process::leader).isInstanceOf(MillraceException.class);
    process.publish(leader);
    await(
        () -> {
          try {
            return process.leader().equals(java.util.Optional.of(leader));
          } catch (MillraceException damagedStillCached) {
            return false;
          }
        });
  }
}
