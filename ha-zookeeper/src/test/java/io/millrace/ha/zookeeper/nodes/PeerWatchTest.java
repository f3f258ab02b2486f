package io.millrace.ha.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerWatchTest {
  private static final String A = "a".repeat(32);
  private static final String B = "b".repeat(32);
  private static final String C = "c".repeat(32);
  private static final String LEADER = node(A, 1, "one:1,one:2", 1);
  private static final String STANDBY = node(B, 1, "two:1,two:2", 2);
  private static final String OWN = node(C, 1, "three:1,three:2", 3);

  private final PeerWatch watch = new PeerWatch(new PeerSettings(true, 2, Duration.ofMillis(100)));

  private static String node(String process, int attempt, String address, int number) {
    return Contender.name(process, attempt, address) + String.format("%010d", number);
  }

  private List<PeerWatch.Action> contenders(String... nodes) {
    return watch.contenders(Contender.of(List.of(nodes)), OWN);
  }

  private static PeerWatch.Connect connect(String node, int millis) {
    return new PeerWatch.Connect(Contender.of(List.of(node)).get(0), Duration.ofMillis(millis));
  }

  /** The connection to the leader existed and is broken. */
  private void suspectTheLeader() {
    contenders(LEADER, OWN);
    assertThat(watch.connected(LEADER)).isEmpty();
    assertThat(watch.broken(LEADER)).containsExactly(connect(LEADER, 0));
  }

  private static void assertRemoval(List<PeerWatch.Action> actions, String node) {
    assertThat(actions)
        .singleElement()
        .isInstanceOfSatisfying(
            PeerWatch.Remove.class, remove -> assertThat(remove.peer().node()).isEqualTo(node));
  }

  @Test
  void watchesAllBeforeItselfAndNobodyBehind() {
    assertThat(contenders(STANDBY, node("d".repeat(32), 1, "four:1,four:2", 4), OWN, LEADER))
        .containsExactly(connect(LEADER, 0), connect(STANDBY, 0));
    assertThat(contenders(OWN, STANDBY))
        .singleElement()
        .isInstanceOfSatisfying(
            PeerWatch.Disconnect.class, gone -> assertThat(gone.peer().node()).isEqualTo(LEADER));
    assertThat(watch.watches(LEADER)).isFalse();
    assertThat(watch.connected(LEADER)).as("a late event").isEmpty();
  }

  @Test
  @Behaviour(
      "G3: a JobManager whose connections break and whose port refuses new ones is dead, although"
          + " its session has not ended")
  void brokenConnectionAndRefusalsAreADeath() {
    suspectTheLeader();
    assertThat(watch.refused(LEADER)).containsExactly(connect(LEADER, 100));
    assertRemoval(watch.refused(LEADER), LEADER);
    assertThat(watch.refused(LEADER)).isEmpty();
    assertThat(watch.watches(LEADER)).isFalse();
  }

  @Test
  @Behaviour("G3: a JobManager whose host does not answer is not taken for dead")
  void noAnswerIsNoDeath() {
    suspectTheLeader();
    for (int i = 0; i < 10; i++) {
      assertThat(watch.refused(LEADER)).containsExactly(connect(LEADER, 100));
      assertThat(watch.unanswered(LEADER))
          .as("refusals in a row count")
          .containsExactly(connect(LEADER, 1000));
    }
  }

  @Test
  void refusalsWithoutAConnectionBeforeAreNoDeath() {
    contenders(LEADER, OWN);
    for (int i = 0; i < 10; i++) {
      assertThat(watch.refused(LEADER)).containsExactly(connect(LEADER, 1000));
    }
  }

  @Test
  void processThatAnswersAgainIsAlive() {
    suspectTheLeader();
    assertThat(watch.refused(LEADER)).containsExactly(connect(LEADER, 100));
    assertThat(watch.connected(LEADER)).isEmpty();
    assertThat(watch.broken(LEADER)).as("after a pause").containsExactly(connect(LEADER, 100));
    assertThat(watch.refused(LEADER)).as("counted anew").containsExactly(connect(LEADER, 100));
  }

  @Test
  void processThatWasStartedAgainAtItsAddressShowsThatTheFormerOneIsDead() {
    String successor = node(B, 1, "one:1,one:2", 4);
    suspectTheLeader();
    assertThat(watch.connected(LEADER)).isEmpty();
    assertRemoval(contenders(LEADER, OWN, successor), LEADER);
  }

  @Test
  void successorThatContendsBeforeTheConnectionBreaksShowsItWhenItAnswers() {
    String successor = node(B, 1, "one:1,one:2", 4);
    contenders(LEADER, OWN, successor);
    assertThat(watch.connected(LEADER)).isEmpty();
    assertThat(watch.broken(LEADER)).containsExactly(connect(LEADER, 0));
    assertRemoval(watch.connected(LEADER), LEADER);
  }

  @Test
  @Behaviour(
      "G3: a JobManager that contends again after it was taken for dead is not removed again")
  void processThatContendsAgainWasNotDead() {
    suspectTheLeader();
    watch.refused(LEADER);
    assertRemoval(watch.refused(LEADER), LEADER);
    contenders(OWN);

    assertThat(contenders(node(A, 2, "one:1,one:2", 2), OWN)).isEmpty();
    assertThat(contenders(node(B, 1, "one:1,one:2", 2), OWN))
        .as("another process at its address")
        .hasSize(1);
  }

  @Test
  void failedRemovalIsDecidedAnew() {
    suspectTheLeader();
    watch.refused(LEADER);
    assertRemoval(watch.refused(LEADER), LEADER);
    assertThat(watch.notRemoved(LEADER)).containsExactly(connect(LEADER, 1000));
    assertThat(watch.refused(LEADER)).containsExactly(connect(LEADER, 100));
    assertRemoval(watch.refused(LEADER), LEADER);
  }

  @Test
  void disabledWatchDoesNothing() {
    PeerWatch disabled = new PeerWatch(new PeerSettings(false, 2, Duration.ofMillis(100)));
    assertThat(disabled.contenders(Contender.of(List.of(LEADER, OWN)), OWN)).isEmpty();
  }

  @Test
  void nodesOfOtherVersionsCountAndAreNotWatched() {
    String other = "_c_3e1b2a04-latch-0000000001";
    assertThat(contenders(OWN, other)).isEmpty();
    assertThat(Contender.of(List.of(OWN, other)).get(0).node()).isEqualTo(other);
  }
}
