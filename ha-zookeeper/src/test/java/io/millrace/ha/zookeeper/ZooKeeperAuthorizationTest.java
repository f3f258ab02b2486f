package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Credentials that processes present to a real server. */
class ZooKeeperAuthorizationTest {
  private static final String MILLER = "digest:miller:a secret";

  private final LiveEnv env = new LiveEnv("test");
  private TestZooKeeper server;

  @BeforeEach
  void start() throws Exception {
    server = new TestZooKeeper();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    env.close();
  }

  private Configuration as(String credentials) {
    return server
        .configuration(Duration.ofSeconds(4))
        .with(ZooKeeperOptions.ACL, ZooKeeperAcl.CREATOR)
        .with(ZooKeeperOptions.AUTHORIZATION.key(), credentials);
  }

  private NodeCoordinator connect(Configuration configuration) {
    return ZooKeeperCoordinator.connect(configuration, env);
  }

  @Test
  @Behaviour(
      "B5: with a digest, processes authenticate at ZooKeeper, and nodes of the cluster are usable"
          + " by their user only")
  void nodesBelongToTheUserOfTheDigest() throws Exception {
    try (NodeCoordinator owner = connect(as(MILLER))) {
      owner.takeOver();
      try (NodeCoordinator again = connect(as(MILLER));
          CuratorFramework client = ZooKeeperConnection.open(as(MILLER))) {
        again.takeOver();
        for (String node : client.getChildren().forPath("/millrace/default")) {
          assertThat(client.getACL().forPath("/millrace/default/" + node))
              .singleElement()
              .extracting(ACL::getId)
              .satisfies(
                  id -> {
                    assertThat(id.getScheme()).isEqualTo("digest");
                    assertThat(id.getId()).startsWith("miller:").doesNotContain("secret");
                  });
        }
      }
      for (String stranger :
          List.of("digest:baker:a secret", "digest:miller:a riddle", "digest:miller:")) {
        assertThatThrownBy(() -> connect(as(stranger)))
            .as(stranger)
            .satisfies(
                e ->
                    assertThat(Failure.sentence(e))
                        .contains("no permission for /millrace/default")
                        .doesNotContain("secret", "riddle", "\n"));
      }
    }
  }

  @Test
  void severalCredentialsArePresented() throws Exception {
    try (NodeCoordinator owner = connect(as(MILLER));
        NodeCoordinator both = connect(as("digest:baker:one;" + MILLER))) {
      owner.takeOver();
      both.takeOver();
      assertThatThrownBy(() -> owner.store().write("a", Bytes.EMPTY, HaStore.ABSENT, 1))
          .hasMessageContaining("taken over");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret", ":secret", ":", "digest:a:b;secret"})
  void entryWithoutASchemeIsRefusedWithoutShowingIt(String entries) {
    assertThatThrownBy(() -> connect(as(entries)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(ZooKeeperOptions.AUTHORIZATION.key())
        .hasMessageNotContaining("secret");
  }

  @Test
  void schemeThatTheServersDoNotKnowIsRefusedInOneLine() {
    assertThatThrownBy(() -> connect(as("wizardry:a secret")))
        .satisfies(
            e ->
                assertThat(Failure.sentence(e))
                    .contains("refuse", "credentials of this process")
                    .contains(ZooKeeperOptions.AUTHORIZATION.key())
                    .doesNotContain("secret", "\n"));
  }
}
