package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TargetRequestTest {
  private static final HostPort GIVEN = new HostPort("example.org", 1234);
  private static final HostPort RUNNING = new HostPort("127.0.0.1", 45678);

  private final List<String> warnings = new ArrayList<>();

  @Test
  @Behaviour(
      "A3: without a target, -m is the REST address of a cluster, and nothing means the embedded"
          + " cluster")
  void nothingSaidMeansTheEmbeddedCluster() {
    assertThat(decide(Optional.empty(), Optional.empty(), Configuration.EMPTY)).isEqualTo("local");
  }

  @Test
  @Behaviour(
      "A3: without a target, -m is the REST address of a cluster, and nothing means the embedded"
          + " cluster")
  void addressMeansRemote() {
    Configuration decided = request(Optional.empty(), Optional.of(GIVEN), Configuration.EMPTY);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("remote");
    assertThat(HostPort.of(decided)).isEqualTo(GIVEN);
  }

  @Test
  @Behaviour("A3: -t, its old spelling -e and execution.target choose the target")
  void namedTargetWinsOverTheConfiguredOne() {
    Configuration configured = Configuration.EMPTY.with(DeploymentOptions.TARGET, "remote");
    assertThat(decide(Optional.of("local"), Optional.empty(), configured)).isEqualTo("local");
    assertThat(decide(Optional.empty(), Optional.empty(), configured)).isEqualTo("remote");
  }

  @Test
  void namedTargetWinsOverAnAddressThatIsNoneOfIts() {
    assertThat(decide(Optional.of("local"), Optional.of(GIVEN), Configuration.EMPTY))
        .isEqualTo("local");
    assertThat(warnings)
        .containsExactly("Ignored: -m example.org:1234. The target is 'local', as -t says.");
  }

  @Test
  @Behaviour("A3: -t, its old spelling -e and execution.target choose the target")
  void configuredTargetWinsAsANamedOneDoes() {
    Configuration configured =
        Configuration.EMPTY.with(DeploymentOptions.TARGET, "yarn-application");
    assertThat(decide(Optional.empty(), Optional.of(GIVEN), configured))
        .isEqualTo("yarn-application");
    assertThat(warnings)
        .containsExactly(
            "Ignored: -m example.org:1234. The target is 'yarn-application', as execution.target"
                + " says.");
  }

  @Test
  void targetRemoteTakesTheAddress() {
    Configuration decided = request(Optional.of("remote"), Optional.of(GIVEN), Configuration.EMPTY);
    assertThat(HostPort.of(decided)).isEqualTo(GIVEN);
    assertThat(warnings).isEmpty();
  }

  @Test
  void remoteWithoutAddressFindsTheClusterOfThisMachine() {
    Configuration decided =
        new TargetRequest(
                Optional.of("remote"),
                Optional.empty(),
                Optional.of(RUNNING),
                List.of(),
                Configuration.EMPTY)
            .decide(warnings::add);
    assertThat(HostPort.of(decided)).isEqualTo(RUNNING);
  }

  @Test
  @Behaviour(
      "A3: without a target, -m is the REST address of a cluster, and nothing means the embedded"
          + " cluster")
  void addressIsTakenFromTheCommandThenTheConfigurationThenThisMachine() {
    Configuration configured = Configuration.EMPTY.with(RestOptions.PORT, 99);
    assertThat(address(Optional.of(GIVEN), Optional.of(RUNNING), configured)).isEqualTo(GIVEN);
    assertThat(address(Optional.empty(), Optional.of(RUNNING), configured))
        .isEqualTo(new HostPort("127.0.0.1", 99));
    assertThat(address(Optional.empty(), Optional.of(RUNNING), Configuration.EMPTY))
        .isEqualTo(RUNNING);
    assertThat(address(Optional.empty(), Optional.empty(), Configuration.EMPTY))
        .isEqualTo(new HostPort("127.0.0.1", 8081));
  }

  @Test
  @Behaviour("A7: an unknown target is refused with the known ones")
  void unknownTargetIsToldTheKnownOnes() {
    assertThatThrownBy(() -> new Targets(() -> Plugins.NONE).named("moon"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no target 'moon'")
        .hasMessageContaining("remote");
  }

  private static HostPort address(
      Optional<HostPort> given, Optional<HostPort> running, Configuration configuration) {
    return new TargetRequest(Optional.empty(), given, running, List.of(), configuration)
        .clusterAddress();
  }

  private String decide(
      Optional<String> target, Optional<HostPort> address, Configuration configuration) {
    return request(target, address, configuration).get(DeploymentOptions.TARGET);
  }

  private Configuration request(
      Optional<String> target, Optional<HostPort> address, Configuration configuration) {
    return new TargetRequest(target, address, Optional.empty(), List.of(), configuration)
        .decide(warnings::add);
  }
}
