package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of election and retrieval against a real ZooKeeper server. */
class ZooKeeperCoordinatorTest {
  /** The longest session of the test server. */
  private static final Duration LONG = Duration.ofSeconds(4);

  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final LeaderRecord FIRST = new LeaderRecord("first:1", "first:2");
  private static final LeaderRecord SECOND = new LeaderRecord("second:1", "second:2");

  private final LiveEnv env = new LiveEnv("test");
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private TestZooKeeper server;
  private CuratorFramework inspecting;

  @BeforeEach
  void start() throws Exception {
    server = new TestZooKeeper();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    server.close();
    env.close();
  }

  private NodeCoordinator connect(Configuration configuration) {
    NodeCoordinator process = ZooKeeperCoordinator.connect(configuration, env);
    opened.add(process);
    return process;
  }

  private NodeCoordinator contend(String name, Configuration configuration) {
    return contend(name, configuration, new LeaderRecord("127.0.0.1:1", "127.0.0.1:1"));
  }

  private NodeCoordinator contend(String name, Configuration configuration, LeaderRecord own) {
    NodeCoordinator process = connect(configuration);
    process.contend(
        own,
        env.mailbox(name),
        new Coordinator.Contender() {
          @Override
          public void elected() {
            events.add(name + " elected");
          }

          @Override
          public void dismissed() {
            events.add(name + " dismissed");
          }
        });
    return process;
  }

  private TcpProxy proxy() throws Exception {
    TcpProxy proxy = new TcpProxy(server.port());
    opened.add(proxy);
    return proxy;
  }

  private void expect(String event) throws InterruptedException {
    assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo(event);
  }

  private CuratorFramework client() {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(server.address(), new RetryOneTime(100));
    client.start();
    opened.add(client);
    return client;
  }

  private static void await(java.util.function.BooleanSupplier condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  @Test
  @Behaviour("G1: ZooKeeper elects one of several JobManagers, and the next one when it ends")
  void oneOfTwoLeadsUntilItIsClosed() throws Exception {
    NodeCoordinator first = contend("first", server.configuration(LONG));
    expect("first elected");
    contend("second", server.configuration(LONG));

    first.close();

    expect("second elected");
    assertThat(events).as("a closed process is not called").isEmpty();
  }

  @Test
  @Behaviour(
      "G1: a process that ZooKeeper does not answer stops to lead before its session can have"
          + " ended")
  void leaderThatIsCutOffIsDismissedBeforeTheNextIsElected() throws Exception {
    TcpProxy proxy = proxy();
    contend("first", TestZooKeeper.configuration(proxy.address(), LONG));
    expect("first elected");
    contend("second", server.configuration(LONG));

    proxy.cut();

    expect("first dismissed");
    expect("second elected");
    proxy.restore();
    opened.get(2).close();
    expect("first elected");
  }

  @Test
  @Behaviour("G1: a process that is not elected any more does not fence off its successor")
  void onlyTheElectedProcessTakesOver() throws Exception {
    NodeCoordinator first = contend("first", server.configuration(LONG));
    expect("first elected");
    assertThat(first.takeOver()).isTrue();
    NodeCoordinator second = contend("second", server.configuration(LONG));
    await(() -> second.contenders() == 2);

    assertThat(second.takeOver()).isFalse();

    first.publish(FIRST);
    first.close();
    expect("second elected");
    assertThat(second.takeOver()).isTrue();
  }

  @Test
  @Behaviour("G1: a process that is not elected any more does not fence off its successor")
  void fenceIsNotRaisedWithoutTheNodeOfTheContender() throws Exception {
    Configuration configuration = server.configuration(LONG);
    CuratorFramework client = client();
    ZooKeeperPaths paths = ZooKeeperPaths.of(configuration).create(client, Optional.empty());
    try (CuratorNodes nodes =
        new CuratorNodes(client, paths, ZooKeeperConnection.acl(configuration), "test")) {
      String node = nodes.join("contender").get().node();
      int raised = nodes.raiseFence(Optional.of(node)).orElseThrow();
      nodes.remove(node).get();

      assertThat(nodes.raiseFence(Optional.of(node))).isEmpty();

      assertThat(nodes.raiseFence(Optional.empty())).hasValue(raised + 1);
    }
  }

  @Test
  @Behaviour("G1: a short loss of the connection to ZooKeeper does not end the leadership")
  void suspendedConnectionDoesNotCostLeadership() throws Exception {
    TcpProxy proxy = proxy();
    NodeCoordinator first = contend("first", TestZooKeeper.configuration(proxy.address(), LONG));
    expect("first elected");
    contend("second", server.configuration(LONG));
    first.takeOver();

    for (int i = 0; i < 3; i++) {
      proxy.cut();
      proxy.restore();
      // A write waits until the connection is there again.
      first.publish(FIRST);
    }

    assertThat(events).isEmpty();
  }

  @Test
  @Behaviour("G1: a leader whose node was removed contends again")
  void leaderWhoseNodeIsRemovedIsDismissed() throws Exception {
    contend("first", server.configuration(LONG));
    expect("first elected");
    CuratorFramework client = client();
    String node =
        "/millrace/default/latch/" + client.getChildren().forPath("/millrace/default/latch").get(0);

    client.delete().forPath(node);

    expect("first dismissed");
    expect("first elected");
  }

  @Test
  @Behaviour(
      "G3: a JobManager whose connections break and whose port refuses new ones is dead, although"
          + " its session has not ended")
  @Behaviour(
      "G3: a JobManager that contends again after it was taken for dead is not removed again")
  void leaderWhosePortsRefuseIsReplacedWhileItsSessionLives() throws Exception {
    ListeningPorts ports = new ListeningPorts();
    opened.add(ports);
    contend("first", server.configuration(LONG), ports.address());
    expect("first elected");
    contend("second", server.configuration(LONG));
    ports.awaitConnection();

    ports.close();

    List<String> both = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      both.add(events.poll(60, TimeUnit.SECONDS));
    }
    assertThat(both).containsExactlyInAnyOrder("first dismissed", "second elected");
    await(() -> children("/millrace/default/latch") == 2);
    opened.get(2).close();
    expect("first elected");
  }

  @Test
  @Behaviour("G3: a JobManager whose connections break and whose port accepts new ones is not dead")
  void leaderWhosePortsAcceptStays() throws Exception {
    ListeningPorts ports = new ListeningPorts();
    opened.add(ports);
    contend("first", server.configuration(LONG), ports.address());
    expect("first elected");
    contend("second", server.configuration(LONG));

    for (int i = 0; i < 5; i++) {
      ports.awaitConnection().close();
    }

    ports.awaitConnection();
    assertThat(events).isEmpty();
  }

  private int children(String path) {
    try {
      return inspector().getChildren().forPath(path).size();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private CuratorFramework inspector() {
    if (inspecting == null) {
      inspecting = client();
    }
    return inspecting;
  }

  @Test
  @Behaviour(
      "B4: a process that was cut off from ZooKeeper while the leader changed hears of the change")
  void followerHearsOfALeaderThatWasPublishedWhileItWasCutOff() throws Exception {
    TcpProxy proxy = proxy();
    NodeCoordinator leader = connect(server.configuration(LONG));
    NodeCoordinator follower = connect(TestZooKeeper.configuration(proxy.address(), LONG));
    BlockingQueue<Optional<LeaderRecord>> seen = new LinkedBlockingQueue<>();
    follower.onLeaderChange(() -> seen.add(follower.leader()));
    leader.takeOver();
    leader.publish(FIRST);
    assertThat(seen.poll(60, TimeUnit.SECONDS)).contains(FIRST);

    proxy.cut();
    leader.publish(SECOND);
    proxy.restore();

    assertThat(seen.poll(60, TimeUnit.SECONDS)).contains(SECOND);
  }

  @Test
  @Behaviour("B4: all processes find the leader through ZooKeeper, and hear of each change")
  void followersSeeThePublishedLeader() throws Exception {
    TcpProxy proxy = proxy();
    NodeCoordinator first = connect(TestZooKeeper.configuration(proxy.address(), SHORT));
    NodeCoordinator second = connect(server.configuration(SHORT));
    NodeCoordinator follower = connect(server.configuration(SHORT));
    BlockingQueue<Optional<LeaderRecord>> seen = new LinkedBlockingQueue<>();
    follower.onLeaderChange(() -> seen.add(follower.leader()));
    assertThat(follower.leader()).isEmpty();

    first.takeOver();
    first.publish(FIRST);
    assertThat(seen.poll(60, TimeUnit.SECONDS)).contains(FIRST);
    first.publish(FIRST);

    second.takeOver();
    second.publish(SECOND);
    await(() -> follower.leader().equals(Optional.of(SECOND)));
    assertThatThrownBy(() -> first.publish(FIRST)).isInstanceOf(StaleWriteException.class);
    assertThat(follower.leader()).contains(SECOND);

    first.takeOver();
    first.publish(FIRST);
    await(() -> follower.leader().equals(Optional.of(FIRST)));
    proxy.cut();
    await(() -> follower.leader().isEmpty());
  }

  /** Nothing that a process has to do at its end is worth the time of all attempts. */
  @Test
  @Behaviour("G1: a process ends without delay while ZooKeeper cannot be reached")
  void processThatCannotReachTheServersCloses() throws Exception {
    TcpProxy proxy = proxy();
    NodeCoordinator process =
        ZooKeeperCoordinator.connect(
            TestZooKeeper.configuration(proxy.address(), SHORT)
                .with(ZooKeeperOptions.RETRY_WAIT, Duration.ofHours(1)),
            env);
    process.takeOver();
    process.publish(FIRST);
    proxy.cut();

    CompletableFuture.runAsync(process::close).get(2, TimeUnit.MINUTES);

    assertThat(children("/millrace/default")).as("its nodes stay").isPositive();
  }

  @Test
  @Behaviour("G1: an unreachable ZooKeeper is an error of one line that names the servers")
  void unreachableQuorumIsNamed() throws Exception {
    TcpProxy proxy = proxy();
    proxy.cut();
    Configuration unreachable =
        TestZooKeeper.configuration(proxy.address(), SHORT)
            .with(ZooKeeperOptions.CONNECTION_TIMEOUT, Duration.ofMillis(500));

    assertThatThrownBy(() -> connect(unreachable))
        .satisfies(
            e ->
                assertThat(Failure.sentence(e))
                    .contains("ZooKeeper at " + proxy.address())
                    .contains("does not answer within 500 ms")
                    .doesNotContain("\n"));
    assertThatThrownBy(() -> connect(Configuration.EMPTY))
        .hasMessageContaining("set high-availability.zookeeper.quorum");
    assertThatThrownBy(
            () -> connect(server.configuration(SHORT).with(ZooKeeperOptions.ROOT, "/a//b")))
        .hasMessageContaining("not a path of ZooKeeper");
  }

  @Test
  @Behaviour("G1: a root of ZooKeeper without permission is an error of one line that names it")
  void rootWithoutPermissionIsNamed() throws Exception {
    client().create().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/closed");

    assertThatThrownBy(
            () -> connect(server.configuration(SHORT).with(ZooKeeperOptions.ROOT, "/closed")))
        .satisfies(
            e ->
                assertThat(Failure.sentence(e))
                    .contains("no permission for /closed")
                    .contains("high-availability.zookeeper.path.root")
                    .doesNotContain("\n"));
  }

  @Test
  void aclOfTheCreatorNeedsALogin() {
    assertThatThrownBy(
            () -> connect(server.configuration(SHORT).with(ZooKeeperOptions.ACL, "creator")))
        .hasMessageContaining("high-availability.zookeeper.client.acl: creator requires");
  }

  @Test
  void clustersOfOneRootDoNotMeet() throws Exception {
    contend("first", server.configuration(LONG).with("high-availability.cluster-id", "a"));
    expect("first elected");
    contend("second", server.configuration(LONG).with("high-availability.cluster-id", "/b"));
    expect("second elected");
    assertThat(client().getChildren().forPath("/millrace")).containsExactlyInAnyOrder("a", "b");
  }
}
