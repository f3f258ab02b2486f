package io.millrace.ha.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.ha.zookeeper.nodes.FakeNodes.Answers;
import io.millrace.ha.zookeeper.nodes.FakeNodes.Request;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The election of one process whose requests fail, get lost, or are answered late. */
class LatchElectionTest {
  private static final String A = "a".repeat(32);
  private static final String B = "b".repeat(32);
  private static final String ELECTED = "elected";
  private static final String DISMISSED = "dismissed";
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** The process reads its node this often. */
  private static final Duration CHECK = FakeNodes.TIMEOUT.dividedBy(8);

  private final ManualEnv env = new ManualEnv();
  private final FakeNodes nodes = new FakeNodes();
  private final FakePeers peers = new FakePeers();
  private final List<String> events = new ArrayList<>();
  private final NodeCoordinator process =
      new NodeCoordinator(
          env, nodes, new NodeCoordinator.Peers(peers, new PeerSettings(true, 2, PAUSE)));

  private void contend() {
    process.contend(
        new LeaderRecord("own:1", "own:2"),
        env.mailbox("contender"),
        new Coordinator.Contender() {
          @Override
          public void elected() {
            events.add(ELECTED);
          }

          @Override
          public void dismissed() {
            events.add(DISMISSED);
          }
        });
    env.settle();
  }

  private void lead() {
    contend();
    assertThat(events).containsExactly(ELECTED);
  }

  /** Runs something that the process hears of at once. */
  private void tell(Runnable notification) {
    notification.run();
    env.settle();
  }

  private void cutOff() {
    nodes.answer(Answers.UNREACHABLE, Request.values());
  }

  private void reconnect() {
    nodes.answer(Answers.AT_ONCE, Request.values());
  }

  @Test
  void onlyContenderIsElectedAtOnce() {
    lead();

    assertThat(nodes.own()).contains("own:1,own:2");
    assertThat(process.contenders()).isEqualTo(1);
  }

  @Test
  void standbyIsElectedWhenAllNodesBeforeItAreGone() {
    String first = nodes.other(A, "one:1,one:2");
    String second = nodes.other(B, "two:1,two:2");
    contend();

    nodes.latch.remove(first);
    tell(nodes.listener()::changed);
    assertThat(events).isEmpty();
    nodes.latch.remove(second);
    tell(nodes.listener()::changed);

    assertThat(events).containsExactly(ELECTED);
  }

  @Test
  void nodeThatVanishesWithoutANotificationIsNoticedAtTheNextCheck() {
    String first = nodes.other(A, "one:1,one:2");
    contend();

    nodes.latch.remove(first);
    env.advance(CHECK);

    assertThat(events).containsExactly(ELECTED);
  }

  @Test
  void joinWhoseAnswerWasLostLeavesNoSecondNode() {
    nodes.answer(Answers.LOST, Request.JOIN);
    contend();
    String lost = nodes.own();
    assertThat(events).isEmpty();

    reconnect();
    env.advance(CHECK);

    assertThat(nodes.own()).as("the only node of this process").isNotEqualTo(lost);
    assertThat(events).containsExactly(ELECTED);
  }

  @Test
  void earlierNodeThatCannotBeRemovedIsRemovedLater() {
    nodes.answer(Answers.LOST, Request.JOIN);
    contend();
    nodes.answer(Answers.AT_ONCE, Request.JOIN);
    nodes.answer(Answers.UNREACHABLE, Request.REMOVE);
    env.advance(CHECK);
    assertThat(nodes.latch).hasSize(2);
    assertThat(events).as("an own node is before its node").isEmpty();

    reconnect();
    env.advance(CHECK.multipliedBy(2));

    assertThat(nodes.latch).hasSize(1);
    assertThat(events).containsExactly(ELECTED);
  }

  @ParameterizedTest
  @EnumSource(
      value = Answers.class,
      names = {"LOST", "UNREACHABLE"})
  void listingThatFailsIsRepeated(Answers failure) {
    nodes.answer(failure, Request.CONTENDERS);
    contend();
    env.advance(CHECK.multipliedBy(3));
    assertThat(nodes.latch).as("it does not contend blindly").isEmpty();

    reconnect();
    env.advance(CHECK);

    assertThat(events).containsExactly(ELECTED);
  }

  @Test
  void manyChangesDuringAListingCauseOneMore() {
    nodes.other(A, "one:1,one:2");
    contend();
    nodes.answer(Answers.HELD, Request.CONTENDERS);
    nodes.received.clear();

    for (int i = 0; i < 20; i++) {
      tell(nodes.listener()::changed);
    }
    assertThat(nodes.received).containsEntry(Request.CONTENDERS, 1);
    tell(nodes::answerHeld);
    assertThat(nodes.received).containsEntry(Request.CONTENDERS, 2);
    tell(nodes::answerHeld);
    assertThat(nodes.received).containsEntry(Request.CONTENDERS, 2);
  }

  @Test
  void processCreatesNoSecondNodeWhileTheFirstIsBeingCreated() {
    nodes.answer(Answers.HELD, Request.JOIN);
    contend();
    // The node is seen in a listing before the answer that names it.
    tell(nodes.listener()::changed);
    env.advance(CHECK);
    assertThat(nodes.received).containsEntry(Request.JOIN, 1);

    nodes.answer(Answers.AT_ONCE, Request.JOIN);
    tell(nodes::answerHeld);
    env.advance(CHECK);

    assertThat(nodes.own()).isNotEmpty();
    assertThat(events).endsWith(ELECTED);
  }

  @Test
  void leaderThatIsNotAnsweredIsDismissedBeforeItsSessionCanHaveEnded() {
    lead();
    cutOff();

    env.advance(FakeNodes.TIMEOUT.multipliedBy(79).dividedBy(100));
    assertThat(events).containsExactly(ELECTED);
    env.advance(FakeNodes.TIMEOUT.multipliedBy(1).dividedBy(100));

    assertThat(events).containsExactly(ELECTED, DISMISSED);
  }

  @Test
  void leaderThatIsAnsweredAgainLeadsWithTheSameNode() {
    lead();
    String node = nodes.own();
    cutOff();
    env.advance(FakeNodes.TIMEOUT);

    reconnect();
    tell(nodes.listener()::connected);

    assertThat(events).containsExactly(ELECTED, DISMISSED, ELECTED);
    assertThat(nodes.own()).isEqualTo(node);
  }

  @Test
  void frozenLeaderIsDismissedBeforeItDoesAnythingElse() {
    lead();

    env.freeze(FakeNodes.TIMEOUT.multipliedBy(3));
    env.settle();

    assertThat(events).startsWith(ELECTED, DISMISSED);
  }

  @Test
  void leaderWithAnotherSessionContendsWithAnotherNode() {
    lead();
    String node = nodes.own();

    nodes.replaceSession();
    env.advance(CHECK);

    assertThat(events).containsExactly(ELECTED, DISMISSED, ELECTED);
    assertThat(nodes.own()).isNotEqualTo(node);
    assertThat(nodes.latch.get(nodes.own())).isEqualTo(nodes.session());
  }

  @Test
  void endOfTheSessionEndsTheLeadershipAtOnce() {
    lead();
    cutOff();

    tell(nodes::expire);

    assertThat(events).containsExactly(ELECTED, DISMISSED);
    reconnect();
    tell(nodes.listener()::connected);
    assertThat(events).containsExactly(ELECTED, DISMISSED, ELECTED);
  }

  @Test
  void endOfASessionWithoutANodeChangesNothing() {
    cutOff();
    contend();

    tell(nodes::expire);

    assertThat(events).isEmpty();
    reconnect();
    tell(nodes.listener()::connected);
    assertThat(events).containsExactly(ELECTED);
  }

  @Test
  void nodeThatBelongsToAnotherSessionDoesNotProlongTheLeadership() {
    lead();

    nodes.latch.put(nodes.own(), 99L);
    env.advance(FakeNodes.TIMEOUT);

    assertThat(events).containsExactly(ELECTED, DISMISSED);
  }

  @Test
  void answerForAnEarlierNodeIsIgnored() {
    lead();
    nodes.latch.clear();
    nodes.answer(Answers.UNREACHABLE, Request.CONTENDERS);
    nodes.answer(Answers.HELD, Request.OWNER);
    env.advance(CHECK);
    reconnect();
    tell(nodes::expire);
    tell(nodes.listener()::connected);
    assertThat(events).containsExactly(ELECTED, DISMISSED, ELECTED);

    // It says that the node is gone.
    tell(nodes::answerHeld);

    assertThat(events).hasSize(3);
  }

  /** ZooKeeper lets everybody who may write to the node of the latch create such nodes. */
  @Test
  void nodesWithoutAUsableNumberAreBehindAllOthers() {
    List<String> names =
        List.of(
            "lock",
            "-",
            "_",
            "lock-9".concat("9".repeat(30)),
            "lock--9".concat("9".repeat(30)),
            A + ".1_one:1,one:2_9" + "9".repeat(30),
            A + "." + "9".repeat(30) + "_one:1,one:2_9" + "9".repeat(30));
    names.forEach(name -> nodes.latch.put(name, -1L));

    lead();

    assertThat(peers.attempts).isEmpty();
    assertThat(nodes.latch.keySet()).as("nothing was removed").containsAll(names);
  }

  @Test
  void deadProcessIsRemovedAndTheNextOneElected() {
    String dead = nodes.other(A, "one:1,one:2");
    contend();
    assertThat(peers.open()).containsExactly("one:1,one:2");

    breakAndRefuse();

    assertThat(nodes.latch).doesNotContainKey(dead);
    assertThat(events).containsExactly(ELECTED);
    assertThat(peers.open()).isEmpty();
  }

  /** As when the process of {@code one} is killed. */
  private void breakAndRefuse() {
    tell(() -> peers.to("one:1,one:2").connected());
    tell(() -> peers.to("one:1,one:2").broken());
    refuseTwice();
  }

  private void refuseTwice() {
    tell(() -> peers.to("one:1,one:2").refused());
    env.advance(PAUSE);
    tell(() -> peers.to("one:1,one:2").refused());
  }

  @ParameterizedTest
  @EnumSource(
      value = Answers.class,
      names = {"LOST", "UNREACHABLE"})
  void removalThatFailsIsDecidedAgain(Answers failure) {
    String dead = nodes.other(A, "one:1,one:2");
    contend();
    nodes.answer(failure, Request.REMOVE);
    nodes.answer(Answers.UNREACHABLE, Request.CONTENDERS);
    breakAndRefuse();
    assertThat(events).isEmpty();

    reconnect();
    if (failure == Answers.UNREACHABLE) {
      assertThat(nodes.latch).containsKey(dead);
      env.advanceUntil(Duration.ofSeconds(2), () -> peers.attempts.size() == 4);
      refuseTwice();
    }
    env.advance(CHECK);

    assertThat(nodes.latch).doesNotContainKey(dead);
    assertThat(events).containsExactly(ELECTED);
  }

  @Test
  void connectionToAProcessThatLeftIsClosed() {
    String first = nodes.other(A, "one:1,one:2");
    nodes.other(B, "two:1,two:2");
    contend();
    PeerConnections.Listener late = peers.to("one:1,one:2");
    assertThat(peers.open()).containsExactly("one:1,one:2", "two:1,two:2");

    nodes.latch.remove(first);
    tell(nodes.listener()::changed);
    assertThat(peers.open()).containsExactly("two:1,two:2");

    tell(late::connected);
    tell(late::broken);
    env.advance(Duration.ofMinutes(1));
    assertThat(peers.attempts).as("what it still says is ignored").hasSize(2);
  }

  @Test
  void processThatLosesItsSessionWatchesNobody() {
    nodes.other(A, "one:1,one:2");
    contend();
    cutOff();

    tell(nodes::expire);

    assertThat(peers.open()).isEmpty();
    reconnect();
    tell(nodes.listener()::connected);
    assertThat(peers.open()).containsExactly("one:1,one:2");
  }

  @Test
  void slashInAnAddressMakesNoPath() {
    process.contend(
        new LeaderRecord("own/a:1", "own/b:2"),
        env.mailbox("contender"),
        new Coordinator.Contender() {
          @Override
          public void elected() {}

          @Override
          public void dismissed() {}
        });
    env.settle();

    assertThat(nodes.own()).doesNotContain("/");
  }

  @Test
  void closedProcessIsNotCalledAndWatchesNobody() {
    nodes.other(A, "one:1,one:2");
    contend();
    PeerConnections.Listener late = peers.to("one:1,one:2");
    nodes.received.clear();

    process.close();

    nodes.latch.clear();
    tell(nodes.listener()::changed);
    tell(nodes.listener()::connected);
    tell(late::broken);
    env.advance(FakeNodes.TIMEOUT.multipliedBy(2));
    assertThat(events).isEmpty();
    assertThat(nodes.received).as("requests").isEmpty();
    assertThat(nodes.closed).isTrue();
    assertThat(peers.open()).isEmpty();
  }

  @Test
  void leaderThatIsClosedIsNotDismissed() {
    lead();
    nodes.answer(Answers.HELD, Request.OWNER);
    env.advance(CHECK);

    process.close();

    tell(nodes::answerHeld);
    tell(nodes::expire);
    env.advance(FakeNodes.TIMEOUT.multipliedBy(2));
    assertThat(events).containsExactly(ELECTED);
  }
}
