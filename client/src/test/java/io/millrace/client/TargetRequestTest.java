package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TargetRequestTest {
  private static final HostPort GIVEN = new HostPort("example.org", 1234);
  private static final HostPort RUNNING = new HostPort("127.0.0.1", 45678);

  @Test
  void nothingSaidMeansTheEmbeddedCluster() {
    assertThat(decide(Optional.empty(), Optional.empty(), Configuration.EMPTY)).isEqualTo("local");
  }

  @Test
  void addressMeansRemote() {
    Configuration decided =
        new TargetRequest(
                Optional.empty(), Optional.of(GIVEN), Optional.empty(), Configuration.EMPTY)
            .decide();
    assertThat(decided.get(Options.TARGET)).isEqualTo("remote");
    assertThat(HostPort.of(decided)).isEqualTo(GIVEN);
  }

  @Test
  void namedTargetWinsOverTheConfiguredOne() {
    Configuration configured = Configuration.EMPTY.with(Options.TARGET, "remote");
    assertThat(decide(Optional.of("local"), Optional.empty(), configured)).isEqualTo("local");
    assertThat(decide(Optional.empty(), Optional.empty(), configured)).isEqualTo("remote");
  }

  @Test
  void namedTargetThatIsNotRemoteRefusesAnAddress() {
    assertThatThrownBy(() -> decide(Optional.of("local"), Optional.of(GIVEN), Configuration.EMPTY))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("-m names the cluster at example.org:1234")
        .hasMessageContaining("'local'");
  }

  @Test
  void remoteWithoutAddressFindsTheClusterOfThisMachine() {
    Configuration decided =
        new TargetRequest(
                Optional.of("remote"), Optional.empty(), Optional.of(RUNNING), Configuration.EMPTY)
            .decide();
    assertThat(HostPort.of(decided)).isEqualTo(RUNNING);
  }

  @Test
  void addressIsTakenFromTheCommandThenTheConfigurationThenThisMachine() {
    Configuration configured = Configuration.EMPTY.with(Options.REST_PORT, 99);
    assertThat(address(Optional.of(GIVEN), Optional.of(RUNNING), configured)).isEqualTo(GIVEN);
    assertThat(address(Optional.empty(), Optional.of(RUNNING), configured))
        .isEqualTo(new HostPort("127.0.0.1", 99));
    assertThat(address(Optional.empty(), Optional.of(RUNNING), Configuration.EMPTY))
        .isEqualTo(RUNNING);
    assertThat(address(Optional.empty(), Optional.empty(), Configuration.EMPTY))
        .isEqualTo(new HostPort("127.0.0.1", 8081));
  }

  @Test
  void unknownTargetIsToldTheKnownOnes() {
    assertThatThrownBy(() -> new Targets(() -> Plugins.NONE).named("moon"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no target 'moon'")
        .hasMessageContaining("remote");
  }

  private static HostPort address(
      Optional<HostPort> given, Optional<HostPort> running, Configuration configuration) {
    return new TargetRequest(Optional.empty(), given, running, configuration).clusterAddress();
  }

  private static String decide(
      Optional<String> target, Optional<HostPort> address, Configuration configuration) {
    return new TargetRequest(target, address, Optional.empty(), configuration)
        .decide()
        .get(Options.TARGET);
  }
}
