package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.HaStoreContract;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.ha.zookeeper.nodes.NodeHaStore;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of stores, and what only a store in ZooKeeper has. */
class ZooKeeperHaStoreTest extends HaStoreContract {
  private static final Bytes ONE = Bytes.utf8("one");
  private static final Bytes TWO = Bytes.utf8("two");

  private final LiveEnv env = new LiveEnv("test");
  private final List<NodeCoordinator> opened = new ArrayList<>();
  private TestZooKeeper server;

  @BeforeEach
  void start() throws Exception {
    server = new TestZooKeeper();
  }

  @AfterEach
  void stop() throws Exception {
    opened.forEach(NodeCoordinator::close);
    server.close();
    env.close();
  }

  @Override
  protected HaStore store() {
    NodeCoordinator process = process();
    process.takeOver();
    return process.store();
  }

  private NodeCoordinator process() {
    NodeCoordinator process =
        ZooKeeperCoordinator.connect(server.configuration(Duration.ofSeconds(4)), env);
    opened.add(process);
    return process;
  }

  @Test
  @Behaviour(
      "G2: in ZooKeeper the last process that takes over owns the store; writes of former leaders"
          + " are refused and acknowledged writes are kept")
  void nextOwnerFindsValuesVersionsAndTermsAndFencesOffThePreviousOne() {
    HaStore first = store();
    first.write("a", ONE, first.write("a", TWO, HaStore.ABSENT, 6), 7);

    HaStore second = store();

    assertThat(second.read("a")).contains(new HaStore.Versioned(ONE, 2));
    assertThatThrownBy(() -> second.write("a", TWO, 2, 6)).hasMessageContaining("term 7");
    // Even with the right version and a later term: the process no longer owns the store.
    assertThatThrownBy(() -> first.write("a", TWO, 2, 9))
        .isInstanceOfSatisfying(
            StaleWriteException.class, stale -> assertThat(stale.isOfLaterTerm()).isTrue())
        .hasMessageContaining("taken over");
    assertThatThrownBy(() -> first.delete("a", 2, 9)).isInstanceOf(StaleWriteException.class);
    assertThatThrownBy(() -> first.write("b", TWO, HaStore.ABSENT, 9))
        .isInstanceOf(StaleWriteException.class);
    assertThat(second.read("a")).contains(new HaStore.Versioned(ONE, 2));
    assertThat(second.list("")).containsExactly("a");
  }

  @Test
  void standbyReadsAndDoesNotWrite() {
    store().write("a", ONE, HaStore.ABSENT, 1);

    HaStore standby = process().store();

    assertThat(standby.read("a")).isPresent();
    assertThatThrownBy(() -> standby.write("a", TWO, 1, 9))
        .isInstanceOf(StaleWriteException.class)
        .hasMessageContaining("does not lead");
  }

  @Test
  @Behaviour(
      "G2: in ZooKeeper the last process that takes over owns the store; writes of former leaders"
          + " are refused and acknowledged writes are kept")
  void noAcknowledgedWriteIsLostWhileProcessesTakeOver() throws Exception {
    int processes = 5;
    List<HaStore> stores = new ArrayList<>();
    stores.add(store());
    stores.get(0).write("count", Bytes.utf8("0"), HaStore.ABSENT, 1);
    ExecutorService threads = Executors.newFixedThreadPool(2 * processes);
    try {
      List<CompletableFuture<Integer>> counting = new ArrayList<>();
      for (int process = 0; process < processes; process++) {
        if (process > 0) {
          awaitCount(stores.get(0), 5 * process);
          stores.add(store());
        }
        HaStore own = stores.get(process);
        boolean last = process == processes - 1;
        for (int thread = 0; thread < 2; thread++) {
          counting.add(CompletableFuture.supplyAsync(() -> countUp(own, last), threads));
        }
      }
      int total = 0;
      for (CompletableFuture<Integer> count : counting) {
        total += count.get(120, TimeUnit.SECONDS);
      }
      HaStore.Versioned end = stores.get(processes - 1).read("count").orElseThrow();
      assertThat(count(end)).isEqualTo(total);
      assertThat(end.version()).isEqualTo(total + 1);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Counts until the process is fenced off; threads of the last process stop after 20. */
  private static int countUp(HaStore store, boolean last) {
    int counted = 0;
    while (!last || counted < 20) {
      HaStore.Versioned found = store.read("count").orElseThrow();
      try {
        store.write("count", Bytes.utf8("" + (count(found) + 1)), found.version(), 1);
        counted++;
      } catch (StaleWriteException e) {
        if (e.isOfLaterTerm()) {
          return counted;
        }
      }
    }
    return counted;
  }

  private static void awaitCount(HaStore store, int minimum) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (count(store.read("count").orElseThrow()) < minimum) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  private static int count(HaStore.Versioned found) {
    return Integer.parseInt(
        new String(found.value().toArray(), java.nio.charset.StandardCharsets.UTF_8));
  }

  @Test
  void valueThatDoesNotFitIsAnError() {
    HaStore store = store();
    Bytes large = Bytes.wrap(new byte[NodeHaStore.MAX_BYTES]);

    assertThatThrownBy(() -> store.write("large", large, HaStore.ABSENT, 1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining("'large' has " + NodeHaStore.MAX_BYTES + " bytes");
    assertThat(store.list("")).isEmpty();
  }
}
