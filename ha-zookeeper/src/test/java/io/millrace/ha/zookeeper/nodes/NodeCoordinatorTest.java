package io.millrace.ha.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.HaStoreEntry;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.ha.zookeeper.nodes.NodeSession.Outcome;
import io.millrace.rpc.manual.ManualEnv;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes and the address of the leader, while requests are repeated and other processes write. */
class NodeCoordinatorTest {
  private static final String KEY = "jobs/a";
  private static final Bytes ONE = Bytes.utf8("one");
  private static final Bytes TWO = Bytes.utf8("two");
  private static final LeaderRecord LEADER = new LeaderRecord("one:1", "one:2");

  private final FakeNodes nodes = new FakeNodes();
  private final NodeCoordinator process = coordinator();
  private final HaStore store = process.store();

  private NodeCoordinator coordinator() {
    return new NodeCoordinator(
        new ManualEnv(),
        nodes,
        new NodeCoordinator.Peers(
            new FakePeers(), new PeerSettings(true, 1, Duration.ofMillis(1))));
  }

  @BeforeEach
  void takeOver() {
    process.takeOver();
  }

  /** Curator repeats a request after the connection broke, whether it was processed or not. */
  private void repeatNextChange() {
    nodes.interferences.add(
        change -> {
          assertThat(change.get()).isEqualTo(Outcome.DONE);
          Outcome repeated = change.get();
          assertThat(repeated).isEqualTo(Outcome.CONFLICT);
          return repeated;
        });
  }

  private void beforeNextChange(Runnable event) {
    nodes.interferences.add(
        change -> {
          event.run();
          return change.get();
        });
  }

  /** As another process with the same fence would write it. */
  private void put(String key, Bytes value, long version, long term) {
    byte[] entry = new HaStoreEntry(key, value, version, term).encode().array();
    nodes.put(
        NodeHaStore.node(key),
        Bytes.wrap(ByteBuffer.allocate(Long.BYTES + entry.length).putLong(7).put(entry).array()));
  }

  @Test
  void creationThatWasProcessedTwiceSucceeds() {
    repeatNextChange();

    assertThat(store.write(KEY, ONE, HaStore.ABSENT, 1)).isEqualTo(1);

    assertThat(store.read(KEY)).contains(new HaStore.Versioned(ONE, 1));
  }

  @Test
  void replacementThatWasProcessedTwiceSucceeds() {
    long version = store.write(KEY, ONE, HaStore.ABSENT, 1);
    repeatNextChange();

    assertThat(store.write(KEY, TWO, version, 1)).isEqualTo(2);

    assertThat(store.read(KEY)).contains(new HaStore.Versioned(TWO, 2));
  }

  @Test
  void deletionThatWasProcessedTwiceSucceeds() {
    long version = store.write(KEY, ONE, HaStore.ABSENT, 1);
    repeatNextChange();

    store.delete(KEY, version, 1);

    assertThat(store.read(KEY)).isEmpty();
  }

  /** The same bytes, but of another write: the version must not be taken for the own one. */
  @Test
  void equalValueOfAnotherWriterIsAConflict() {
    beforeNextChange(() -> put(KEY, ONE, 1, 1));

    assertThatThrownBy(() -> store.write(KEY, ONE, HaStore.ABSENT, 1))
        .isInstanceOf(StaleWriteException.class)
        .hasMessageContaining("has version 1 and not the expected 0");
  }

  @Test
  void valueThatAnotherWriterReplacesMeanwhileIsKept() {
    long version = store.write(KEY, ONE, HaStore.ABSENT, 1);
    beforeNextChange(() -> put(KEY, TWO, 2, 1));
    assertThatThrownBy(() -> store.write(KEY, Bytes.utf8("three"), version, 1))
        .isInstanceOf(StaleWriteException.class);
    beforeNextChange(() -> put(KEY, TWO, 3, 1));

    assertThatThrownBy(() -> store.delete(KEY, 2, 1)).isInstanceOf(StaleWriteException.class);

    assertThat(store.read(KEY)).contains(new HaStore.Versioned(TWO, 3));
  }

  @Test
  void valueOfALaterTermIsKept() {
    put(KEY, TWO, 1, 9);

    assertThatThrownBy(() -> store.write(KEY, ONE, 1, 8))
        .isInstanceOfSatisfying(
            StaleWriteException.class, stale -> assertThat(stale.isOfLaterTerm()).isTrue());
    assertThatThrownBy(() -> store.delete(KEY, 1, 8)).isInstanceOf(StaleWriteException.class);

    assertThat(store.read(KEY)).contains(new HaStore.Versioned(TWO, 1));
  }

  @Test
  void valueThatVanishesMeanwhileIsNotCreatedAgain() {
    long version = store.write(KEY, ONE, HaStore.ABSENT, 1);
    beforeNextChange(() -> nodes.delete(NodeHaStore.node(KEY)));

    assertThatThrownBy(() -> store.write(KEY, TWO, version, 1))
        .isInstanceOf(StaleWriteException.class)
        .hasMessageContaining("has version 0");

    assertThat(store.read(KEY)).isEmpty();
    store.delete(KEY, version, 1);
  }

  @Test
  void writeIsRefusedWhenAnotherProcessTakesOverJustBefore() {
    long version = store.write(KEY, ONE, HaStore.ABSENT, 1);
    beforeNextChange(coordinator()::takeOver);

    assertThatThrownBy(() -> store.write(KEY, TWO, version, 1))
        .isInstanceOfSatisfying(
            StaleWriteException.class, stale -> assertThat(stale.isOfLaterTerm()).isTrue())
        .hasMessageContaining(KEY);
    assertThatThrownBy(() -> store.delete(KEY, version, 1)).isInstanceOf(StaleWriteException.class);
    assertThatThrownBy(() -> process.publish(LEADER)).isInstanceOf(StaleWriteException.class);

    process.takeOver();
    assertThat(store.write(KEY, TWO, version, 1)).isEqualTo(2);
  }

  @Test
  void writeThatFailsHasAnUnknownOutcome() {
    MillraceException lost = new MillraceException(ErrorKind.EXTERNAL, "lost");
    nodes.interferences.add(
        change -> {
          assertThat(change.get()).isEqualTo(Outcome.DONE);
          throw lost;
        });

    assertThatThrownBy(() -> store.write(KEY, ONE, HaStore.ABSENT, 1)).isSameAs(lost);

    assertThat(store.read(KEY)).contains(new HaStore.Versioned(ONE, 1));
    assertThatThrownBy(() -> store.write(KEY, ONE, HaStore.ABSENT, 1))
        .as("another write has another id")
        .isInstanceOf(StaleWriteException.class);
  }

  @Test
  void largestValueThatFitsIsWritten() {
    int overhead = Long.BYTES + new HaStoreEntry(KEY, Bytes.EMPTY, 1, 1).encode().remaining();
    Bytes largest = Bytes.wrap(new byte[NodeHaStore.MAX_BYTES - overhead]);
    store.write(KEY, largest, HaStore.ABSENT, 1);

    assertThatThrownBy(
            () -> store.write("jobs/b", Bytes.wrap(new byte[largest.length() + 1]), 0, 1))
        .hasMessageContaining("more than fit into a node of ZooKeeper");

    assertThat(store.list("")).containsExactly(KEY);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 39, 40})
  void nodeThatIsTooShortIsDamaged(int length) {
    nodes.put(NodeHaStore.node(KEY), Bytes.wrap(new byte[length]));

    assertThatThrownBy(() -> store.read(KEY))
        .hasMessageContaining("the nodes/" + NodeHaStore.node(KEY))
        .hasMessageContaining("is damaged");
    assertThat(store.list("")).as("names are enough").containsExactly(KEY);
  }

  @Test
  void processThatHasNotTakenOverWritesNothing() {
    NodeCoordinator standby = coordinator();

    assertThatThrownBy(() -> standby.store().write(KEY, ONE, HaStore.ABSENT, 1))
        .hasMessageContaining("does not lead");
    assertThatThrownBy(() -> standby.publish(LEADER)).hasMessageContaining("does not lead");

    assertThat(store.list("")).isEmpty();
    assertThat(process.leader()).isEmpty();
  }

  @Test
  void addressOfAPredecessorIsReplaced() {
    process.publish(new LeaderRecord("old:1", "old:2"));
    beforeNextChange(() -> nodes.delete(NodeSession.LEADER));

    process.publish(LEADER);

    assertThat(process.leader()).contains(LEADER);
  }

  @Test
  void addressThatOthersKeepChangingIsGivenUp() {
    int[] attempts = {0};
    for (int i = 0; i < 20; i++) {
      beforeNextChange(
          () -> {
            attempts[0]++;
            nodes.put(NodeSession.LEADER, ONE);
          });
    }

    assertThatThrownBy(() -> process.publish(LEADER))
        .isInstanceOfSatisfying(
            StaleWriteException.class, stale -> assertThat(stale.isOfLaterTerm()).isFalse())
        .hasMessageContaining("Other processes change the node of the leader");

    assertThat(attempts[0]).isBetween(2, 19);
  }

  @Test
  void emptyNodeNamesNoLeader() {
    nodes.put(NodeSession.LEADER, Bytes.EMPTY);
    assertThat(process.leader()).isEmpty();

    nodes.put(NodeSession.LEADER, LEADER.encode());
    assertThat(process.leader()).contains(LEADER);
  }
}
