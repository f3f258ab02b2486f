package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TargetRequestTest {
  private static final HostPort GIVEN = new HostPort("example.org", 1234);
  private static final HostPort RUNNING = new HostPort("127.0.0.1", 45678);
  private static final TargetRequest NOTHING =
      new TargetRequest(
          Optional.empty(), Optional.empty(), Optional.empty(), List.of(), Configuration.EMPTY);

  private static final StyleArguments NO_ARGUMENTS =
      new StyleArguments(Optional.empty(), new LinkedHashMap<>(), false, new LinkedHashMap<>());

  private final List<String> warnings = new ArrayList<>();

  @Test
  @Behaviour(
      "A3: without a target, -m is the REST address of a cluster, and nothing means the embedded"
          + " cluster")
  void withoutOptionsTheTargetIsTheEmbeddedCluster() {
    assertThat(decide(NOTHING)).isEqualTo("local");
  }

  @Test
  @Behaviour(
      "A3: without a target, -m is the REST address of a cluster, and nothing means the embedded"
          + " cluster")
  void addressMeansRemote() {
    Configuration decided = at(GIVEN, Configuration.EMPTY).decide(warnings::add);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("remote");
    assertThat(HostPort.of(decided)).isEqualTo(GIVEN);
  }

  @Test
  @Behaviour("A3: -t, its old spelling -e and execution.target choose the target")
  void namedTargetWinsOverTheConfiguredOne() {
    TargetRequest configured = NOTHING.with(configured("remote"));
    assertThat(decide(configured.withTarget("local"))).isEqualTo("local");
    assertThat(decide(configured)).isEqualTo("remote");
  }

  @Test
  void namedTargetWinsOverAnAddressThatItDoesNotUse() {
    assertThat(decide(at(GIVEN, Configuration.EMPTY).withTarget("local"))).isEqualTo("local");
    assertThat(warnings)
        .containsExactly("Ignored: -m example.org:1234. The target is 'local', as -t says.");
  }

  @Test
  @Behaviour("A3: -t, its old spelling -e and execution.target choose the target")
  void configuredTargetWinsAsANamedOneDoes() {
    assertThat(decide(at(GIVEN, configured("yarn-application")))).isEqualTo("yarn-application");
    assertThat(warnings)
        .containsExactly(
            "Ignored: -m example.org:1234. The target is 'yarn-application', as execution.target"
                + " says.");
  }

  @Test
  void targetRemoteUsesTheAddress() {
    Configuration decided =
        at(GIVEN, Configuration.EMPTY).withTarget("remote").decide(warnings::add);
    assertThat(HostPort.of(decided)).isEqualTo(GIVEN);
    assertThat(warnings).isEmpty();
  }

  @Test
  void remoteWithoutAddressUsesTheClusterOfThisMachine() {
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
    TargetRequest started =
        new TargetRequest(
            Optional.empty(), Optional.empty(), Optional.of(RUNNING), List.of(), configured);
    TargetRequest given =
        new TargetRequest(
            Optional.empty(), Optional.of(GIVEN), Optional.of(RUNNING), List.of(), configured);
    assertThat(given.clusterAddress()).isEqualTo(GIVEN);
    assertThat(started.clusterAddress()).isEqualTo(new HostPort("127.0.0.1", 99));
    assertThat(started.with(Configuration.EMPTY).clusterAddress()).isEqualTo(RUNNING);
    assertThat(NOTHING.clusterAddress()).isEqualTo(new HostPort("127.0.0.1", 8081));
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void activeStyleWinsOverTheDefaultOne() {
    FakeStyle rack = new FakeStyle("rack").active();
    assertThat(decide(styles(rack))).isEqualTo("rack-per-job");
    assertThat(decide(styles(new FakeStyle("idle"), rack))).isEqualTo("rack-per-job");
    assertThat(decide(styles(new FakeStyle("idle")))).isEqualTo("local");
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void firstActiveStyleDecides() {
    assertThat(decide(styles(new FakeStyle("first").active(), new FakeStyle("second").active())))
        .isEqualTo("first-per-job");
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void genericStyleWinsOverAnActiveStyleAndNamesWhatIsIgnored() {
    assertThat(decide(styles(new FakeStyle("rack").active()).withTarget("local")))
        .isEqualTo("local");
    assertThat(warnings)
        .containsExactly("Ignored: options of rack. The target is 'local', as -t says.");
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void activeStyleWithoutItsLibrariesIsSkippedWithAWarning() {
    FakeStyle rack = new FakeStyle("rack").active().missing("rack.jar");
    assertThat(decide(styles(rack, new FakeStyle("shelf").active()))).isEqualTo("shelf-per-job");
    assertThat(warnings)
        .containsExactly(
            "The command-line style 'rack' is skipped because its libraries are missing:"
                + " rack.jar.");
  }

  @Test
  void styleThatIsNotActiveNeedsNoLibraries() {
    assertThat(decide(styles(new FakeStyle("rack").missing("rack.jar")))).isEqualTo("local");
    assertThat(warnings).isEmpty();
  }

  @Test
  void wordOfASkippedStyleIsRefusedInsteadOfRunningTheJobElsewhere() {
    FakeStyle rack = new FakeStyle("rack").active().missing("rack.jar");
    TargetRequest request =
        styles(
            new StyleRequest(
                rack,
                new StyleArguments(
                    Optional.of("rack-cluster"),
                    new LinkedHashMap<>(),
                    false,
                    new LinkedHashMap<>())));
    assertThatThrownBy(() -> request.decide(warnings::add))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("-m rack-cluster is not the address of a JobManager")
        .hasMessageContaining("'rack'")
        .hasMessageContaining("give host:port");
  }

  @Test
  void targetOfAStyleIsCompletedByItsOptions() {
    Configuration decided =
        styles(new FakeStyle("rack").active()).withTarget("rack-session").decide(warnings::add);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("rack-session");
    assertThat(decided.entries()).containsEntry("rack.configured", "rack-session");
    assertThat(warnings).isEmpty();
  }

  @Test
  void commandWithoutAProgramUsesTheSessionOfAStyle() {
    assertThat(styles(new FakeStyle("rack").session("application_1")).cluster())
        .hasValueSatisfying(cluster -> assertThat(cluster.target()).isEqualTo("rack-session"));
    assertThat(styles(new FakeStyle("rack")).cluster()).isEmpty();
  }

  @Test
  void currentSessionIsNotUsedWithAnAddressOrAnotherTarget() {
    FakeStyle rack = new FakeStyle("rack").currentSession("application_1");
    assertThat(styles(rack).cluster()).isPresent();
    assertThat(styles(rack).with(configured("rack-session")).cluster()).isPresent();
    assertThat(styles(rack).with(configured("remote")).cluster()).isEmpty();
    TargetRequest addressed =
        new TargetRequest(
            Optional.empty(),
            Optional.of(GIVEN),
            Optional.empty(),
            styles(rack).styles(),
            Configuration.EMPTY);
    assertThat(addressed.cluster()).isEmpty();
  }

  @Test
  void sessionThatAnOptionNamesIsUsedAlsoWithAnAddress() {
    TargetRequest addressed =
        new TargetRequest(
            Optional.empty(),
            Optional.of(GIVEN),
            Optional.empty(),
            styles(new FakeStyle("rack").session("application_1")).styles(),
            Configuration.EMPTY);
    assertThat(addressed.cluster()).isPresent();
  }

  @Test
  @Behaviour("A7: an unknown target is refused with the known ones")
  void unknownTargetIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> new Targets(() -> Plugins.NONE).named("nowhere"))
        .isInstanceOf(MillraceException.class)
        .hasMessage("There is no target 'nowhere'. Choose one of: remote.");
  }

  @Test
  @Behaviour("A7: an unknown target is refused with the known ones")
  void targetOfTheClassPathIsFoundWithoutPlugins() {
    Targets targets =
        new Targets(
            () -> {
              throw new AssertionError("Loading plugins takes time.");
            });
    assertThat(targets.named("remote")).isInstanceOf(RemoteTarget.class);
    assertThat(targets.ofPrograms("remote")).isEmpty();
  }

  @Test
  void withoutAPluginThereAreNoSessions() {
    Targets targets = new Targets(() -> Plugins.NONE);
    assertThatThrownBy(targets::ofSessions)
        .hasMessage(
            "No installed plugin has a target with sessions. Install a plugin that has one.");
    assertThatThrownBy(() -> targets.ofSessions("local"))
        .hasMessage(
            "There are no sessions on target 'local'. No installed plugin has a target with"
                + " sessions.");
  }

  @Test
  void remoteClusterOutlivesItsClientAndIsNotStarted() {
    RemoteTarget remote = new RemoteTarget();
    assertThat(remote.outlivesClient()).isTrue();
    assertThat(remote.startsCluster()).isFalse();
    try (RestClusterClient client = remote.open(GIVEN.in(Configuration.EMPTY))) {
      assertThat(client.address()).isEqualTo("example.org:1234");
    }
  }

  private static Configuration configured(String target) {
    return Configuration.EMPTY.with(DeploymentOptions.TARGET, target);
  }

  private static TargetRequest at(HostPort address, Configuration configuration) {
    return new TargetRequest(
        Optional.empty(), Optional.of(address), Optional.empty(), List.of(), configuration);
  }

  private static TargetRequest styles(FakeStyle... styles) {
    List<StyleRequest> requests = new ArrayList<>();
    for (FakeStyle style : styles) {
      requests.add(new StyleRequest(style, NO_ARGUMENTS));
    }
    return styles(requests.toArray(new StyleRequest[0]));
  }

  private static TargetRequest styles(StyleRequest... requests) {
    return new TargetRequest(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(requests),
        Configuration.EMPTY);
  }

  private String decide(TargetRequest request) {
    return request.decide(warnings::add).get(DeploymentOptions.TARGET);
  }
}
