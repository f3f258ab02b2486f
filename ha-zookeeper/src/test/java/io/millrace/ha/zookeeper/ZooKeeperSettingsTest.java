package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.Option;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Paths, ranges of options, sentences of errors, and the lease for any order of events. */
class ZooKeeperSettingsTest {
  private static ZooKeeperPaths paths(String root, String cluster) {
    return ZooKeeperPaths.of(
        Configuration.EMPTY
            .with(ZooKeeperOptions.ROOT, root)
            .with(HighAvailabilityOptions.HA_CLUSTER_ID, cluster));
  }

  @ParameterizedTest
  @CsvSource({
    "/millrace, default, /millrace/default",
    "millrace, /default, /millrace/default",
    "/, one, /one",
    "a/b, c/d, /a/b/c/d"
  })
  void nodeOfAClusterIsBelowTheRoot(String root, String cluster, String path) {
    ZooKeeperPaths paths = paths(root, cluster);
    assertThat(paths.cluster()).isEqualTo(path);
    for (String node : List.of(paths.latch(), paths.leader(), paths.store())) {
      assertThat(node).startsWith(path + "/");
    }
    assertThat(paths.value("jobs/A")).startsWith(paths.store() + "/").doesNotContain("A");
  }

  @Test
  void nodesOfAClusterDiffer() {
    ZooKeeperPaths paths = paths("/m", "c");
    assertThat(List.of(paths.latch(), paths.leader(), paths.store())).doesNotHaveDuplicates();
    assertThat(paths.value("a")).isNotEqualTo(paths.value("A"));
  }

  @ParameterizedTest
  @CsvSource({"/millrace/, x", "/a//b, x", "/millrace, x/", "/., x", "/a, .."})
  void textThatIsNoPathIsAnErrorThatNamesTheOptions(String root, String cluster) {
    assertThatThrownBy(() -> paths(root, cluster))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(ZooKeeperOptions.ROOT.key())
        .hasMessageContaining(HighAvailabilityOptions.HA_CLUSTER_ID.key());
  }

  @Test
  void quorumIsRequired() {
    LiveEnv env = new LiveEnv("test");
    try {
      for (Configuration without :
          List.of(Configuration.EMPTY, Configuration.EMPTY.with(ZooKeeperOptions.QUORUM, "  "))) {
        assertThatThrownBy(() -> ZooKeeperCoordinator.connect(without, env))
            .isInstanceOfSatisfying(
                MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
            .hasMessageContaining(ZooKeeperOptions.QUORUM.key());
      }
    } finally {
      env.close();
    }
  }

  @Test
  void valuesOutsideOfTheirRangeAreRefused() {
    Map<Option<?>, List<String>> wrong =
        Map.of(
            ZooKeeperOptions.SESSION_TIMEOUT, List.of("99 ms", "0 s", "-1 s", "soon"),
            ZooKeeperOptions.CONNECTION_TIMEOUT, List.of("99 ms", "x"),
            ZooKeeperOptions.RETRY_WAIT, List.of("0 ms", "-5 s"),
            ZooKeeperOptions.MAX_RETRY_ATTEMPTS, List.of("-1", "30", "1.5", "many"),
            ZooKeeperOptions.ACL, List.of("everybody"),
            ZooKeeperOptions.ENSEMBLE_TRACKER, List.of("maybe"));
    wrong.forEach(
        (option, values) ->
            values.forEach(
                value ->
                    assertThatThrownBy(
                            () -> Configuration.EMPTY.with(option.key(), value).get(option))
                        .as("%s = %s", option.key(), value)
                        .hasMessageContaining(option.key())));
  }

  @Test
  void limitsOfRangesAreAccepted() {
    Configuration limits =
        Configuration.EMPTY
            .with(ZooKeeperOptions.SESSION_TIMEOUT.key(), "100 ms")
            .with(ZooKeeperOptions.RETRY_WAIT.key(), "1 ms")
            .with(ZooKeeperOptions.MAX_RETRY_ATTEMPTS.key(), "29");
    assertThat(limits.get(ZooKeeperOptions.SESSION_TIMEOUT)).isEqualTo(Duration.ofMillis(100));
    assertThat(limits.get(ZooKeeperOptions.RETRY_WAIT)).isEqualTo(Duration.ofMillis(1));
    assertThat(limits.get(ZooKeeperOptions.MAX_RETRY_ATTEMPTS)).isEqualTo(29);
    assertThat(Configuration.EMPTY.get(ZooKeeperOptions.ACL)).isEqualTo(ZooKeeperAcl.OPEN);
  }

  private static MillraceException failure(Exception cause) {
    try {
      return ZooKeeperErrors.call(
          "read /a",
          () -> {
            throw cause;
          });
    } catch (MillraceException e) {
      return e;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = KeeperException.Code.class,
      names = {"CONNECTIONLOSS", "OPERATIONTIMEOUT", "SESSIONEXPIRED", "SESSIONMOVED"})
  void lostConnectionNamesTheServersOption(KeeperException.Code code) {
    assertThat(failure(KeeperException.create(code, "/a")))
        .hasMessageContaining("Cannot read /a in ZooKeeper: the connection was lost (" + code)
        .hasMessageContaining(ZooKeeperOptions.QUORUM.key());
  }

  @Test
  void missingPermissionNamesTheNodeAndTheRootOption() {
    assertThat(failure(KeeperException.create(KeeperException.Code.NOAUTH, "/a/b")))
        .hasMessageContaining("no permission for /a/b")
        .hasMessageContaining(ZooKeeperOptions.ROOT.key());
    assertThat(failure(KeeperException.create(KeeperException.Code.INVALIDACL, "/a")))
        .hasMessageContaining(ZooKeeperOptions.ACL.key());
  }

  /** Each code of ZooKeeper becomes one sentence of kind EXTERNAL with the original cause. */
  @ParameterizedTest
  @EnumSource(
      value = KeeperException.Code.class,
      mode = EnumSource.Mode.EXCLUDE,
      // ZooKeeper creates no exceptions for these.
      names = {"OK", "UNKNOWNSESSION"})
  void everyErrorIsOneSentence(KeeperException.Code code) {
    KeeperException cause = KeeperException.create(code, "/a");
    MillraceException e = failure(cause);
    assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(e).hasCause(cause);
    assertThat(e.getMessage()).startsWith("Cannot read /a").endsWith(".").doesNotContain("\n");
  }

  @Test
  void ownErrorsPassUnchanged() {
    MillraceException own = new MillraceException(ErrorKind.USER, "own");
    assertThat(failure(own)).isSameAs(own);
    assertThat(failure(new IllegalStateException("closed")))
        .hasMessageContaining("closed")
        .hasMessageContaining("Cannot read /a in ZooKeeper");
  }

  @Test
  void interruptionIsKept() {
    MillraceException e = failure(new InterruptedException());
    assertThat(Thread.interrupted()).isTrue();
    assertThat(e).hasMessageContaining("Interrupted; cannot read /a");
  }
}
