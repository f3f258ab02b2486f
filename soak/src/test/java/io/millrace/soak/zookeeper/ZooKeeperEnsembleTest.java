package io.millrace.soak.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ZooKeeperEnsembleTest {
  private static final int SESSION_MILLIS = 60_000;
  private static final Set<Integer> ALL_PORTS =
      IntStream.range(0, 65_536).boxed().collect(Collectors.toSet());

  @TempDir Path directory;

  private final BlockingQueue<KeeperState> states = new LinkedBlockingQueue<>();

  private ZooKeeper connect(ZooKeeperEnsemble ensemble) throws Exception {
    ZooKeeper client =
        new ZooKeeper(ensemble.quorum(), SESSION_MILLIS, event -> states.add(event.getState()));
    awaitState(KeeperState.SyncConnected);
    return client;
  }

  private void awaitState(KeeperState expected) throws InterruptedException {
    KeeperState state;
    do {
      state = states.take();
    } while (state != expected);
  }

  @Test
  void clientIsCutOffAndItsSessionExpires() throws Exception {
    try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(directory, 3)) {
      ZooKeeper client = connect(ensemble);
      try {
        disturb(ensemble, client);
      } finally {
        client.close();
      }
    }
  }

  /** The state of a client is not enough: it hears late that its connection was lost. */
  private static void awaitAnswer(ZooKeeper client) throws Exception {
    while (true) {
      try {
        client.exists("/root", false);
        return;
      } catch (KeeperException.ConnectionLossException e) {
        Thread.sleep(20);
      }
    }
  }

  private void disturb(ZooKeeperEnsemble ensemble, ZooKeeper client) throws Exception {
    client.create("/root", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    client.create("/root/mine", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    assertThat(ensemble.nodesBelow("/root")).containsExactly("/root/mine");
    assertThat(ensemble.nodesBelow("/nothing")).isEmpty();

    ensemble.cut(Set::of, false);
    assertThat(client.exists("/root", false)).as("others are not cut off").isNotNull();
    ensemble.restore();

    Supplier<Set<Integer>> any = () -> ALL_PORTS;
    ensemble.cut(any, false);
    awaitState(KeeperState.Disconnected);
    assertThat(ensemble.nodesBelow("/root")).as("the session lasts").hasSize(1);
    ensemble.restore();
    awaitState(KeeperState.SyncConnected);

    ensemble.kill(0);
    ensemble.restart();
    ensemble.kill(1);
    ensemble.restart();
    awaitAnswer(client);
    assertThatThrownBy(() -> ensemble.expire(Set::of)).hasMessageContaining("has 0 sessions");
    ensemble.expire(any);
    awaitState(KeeperState.Expired);
    assertThat(ensemble.nodesBelow("/root")).isEmpty();
  }
}
