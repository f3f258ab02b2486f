package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.YarnOptions;
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

  private static final String SESSION = "application_1700000000000_0001";

  private final List<String> warnings = new ArrayList<>();
  private boolean installed = true;

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
    Configuration decided =
        request(Optional.empty(), Optional.of(GIVEN), YarnWords.NONE, Configuration.EMPTY);
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
    Configuration decided =
        request(Optional.of("remote"), Optional.of(GIVEN), YarnWords.NONE, Configuration.EMPTY);
    assertThat(HostPort.of(decided)).isEqualTo(GIVEN);
    assertThat(warnings).isEmpty();
  }

  @Test
  void namedTargetWinsOverWordsAboutYarn() {
    YarnWords said =
        new YarnWords(true, Optional.of(SESSION), true, Optional.of("application_1_9"));
    Configuration decided =
        request(Optional.of("local"), Optional.empty(), said, Configuration.EMPTY);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("local");
    assertThat(decided.contains(YarnOptions.APPLICATION_ID)).isFalse();
    assertThat(warnings)
        .containsExactly(
            "Ignored: -m yarn-cluster, -yid "
                + SESSION
                + ", what else begins with -y. The target is 'local', as -t says.");
  }

  @Test
  void targetThatStartsAClusterIgnoresTheNameOfOne() {
    YarnWords named = new YarnWords(false, Optional.of(SESSION), true, Optional.empty());
    Configuration decided =
        request(Optional.of("yarn-per-job"), Optional.empty(), named, Configuration.EMPTY);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("yarn-per-job");
    assertThat(decided.contains(YarnOptions.APPLICATION_ID)).isFalse();
    assertThat(warnings).singleElement().asString().startsWith("Ignored: -yid " + SESSION + ". ");
    assertThat(
            request(Optional.of("yarn-session"), Optional.empty(), named, Configuration.EMPTY)
                .get(YarnOptions.APPLICATION_ID))
        .isEqualTo(SESSION);
    assertThat(warnings).hasSize(1);
  }

  @Test
  void remoteWithoutAddressFindsTheClusterOfThisMachine() {
    Configuration decided =
        new TargetRequest(
                Optional.of("remote"),
                Optional.empty(),
                Optional.of(RUNNING),
                YarnWords.NONE,
                Configuration.EMPTY)
            .decide(name -> true, warnings::add);
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
    return new TargetRequest(Optional.empty(), given, running, YarnWords.NONE, configuration)
        .clusterAddress();
  }

  private String decide(
      Optional<String> target, Optional<HostPort> address, Configuration configuration) {
    return request(target, address, YarnWords.NONE, configuration).get(DeploymentOptions.TARGET);
  }

  private Configuration request(
      Optional<String> target,
      Optional<HostPort> address,
      YarnWords yarn,
      Configuration configuration) {
    return new TargetRequest(target, address, Optional.empty(), yarn, configuration)
        .decide(name -> installed, warnings::add);
  }

  @Test
  @Behaviour(
      "A3: the YARN style takes -m yarn-cluster, -yid, y-options and the properties file; -yn is"
          + " ignored with a warning")
  void wordsAboutYarnMeanAClusterOfItsOwn() {
    assertThat(yarn(new YarnWords(true, Optional.empty(), false, Optional.empty())))
        .isEqualTo("yarn-per-job");
    assertThat(yarn(new YarnWords(false, Optional.empty(), true, Optional.empty())))
        .isEqualTo("yarn-per-job");
    // Sizes are of a new cluster, also where a session runs.
    assertThat(yarn(new YarnWords(false, Optional.empty(), true, Optional.of(SESSION))))
        .isEqualTo("yarn-per-job");
  }

  @Test
  @Behaviour(
      "A3: the YARN style takes -m yarn-cluster, -yid, y-options and the properties file; -yn is"
          + " ignored with a warning")
  void applicationOrTheFileOfASessionMeanTheSession() {
    YarnWords named =
        new YarnWords(false, Optional.of("application_1_2"), true, Optional.of(SESSION));
    Configuration decided = request(Optional.empty(), Optional.empty(), named, Configuration.EMPTY);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("yarn-session");
    assertThat(decided.get(YarnOptions.APPLICATION_ID)).isEqualTo("application_1_2");
    YarnWords left = new YarnWords(false, Optional.empty(), false, Optional.of(SESSION));
    decided = request(Optional.empty(), Optional.empty(), left, Configuration.EMPTY);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("yarn-session");
    assertThat(decided.get(YarnOptions.APPLICATION_ID)).isEqualTo(SESSION);
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void generalStyleAndAnAddressComeBeforeTheFileOfASession() {
    YarnWords left = new YarnWords(false, Optional.empty(), false, Optional.of(SESSION));
    assertThat(
            request(Optional.of("local"), Optional.empty(), left, Configuration.EMPTY)
                .get(DeploymentOptions.TARGET))
        .isEqualTo("local");
    assertThat(
            request(Optional.empty(), Optional.of(GIVEN), left, Configuration.EMPTY)
                .get(DeploymentOptions.TARGET))
        .isEqualTo("remote");
  }

  @Test
  void targetOnYarnTakesTheApplicationAlong() {
    YarnWords named = new YarnWords(false, Optional.of(SESSION), false, Optional.empty());
    assertThat(
            request(Optional.of("yarn-session"), Optional.empty(), named, Configuration.EMPTY)
                .get(YarnOptions.APPLICATION_ID))
        .isEqualTo(SESSION);
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void styleWithoutLibrariesIsSkippedWithAWarning() {
    installed = false;
    assertThat(yarn(new YarnWords(false, Optional.empty(), false, Optional.of(SESSION))))
        .isEqualTo("local");
    assertThat(warnings).singleElement().asString().contains("yarn-per-job", "skipped");
  }

  @Test
  void wordsAboutYarnWinOverAnAddress() {
    YarnWords sized = new YarnWords(false, Optional.empty(), true, Optional.empty());
    assertThat(
            request(Optional.empty(), Optional.of(GIVEN), sized, Configuration.EMPTY)
                .get(DeploymentOptions.TARGET))
        .isEqualTo("yarn-per-job");
    assertThat(warnings)
        .containsExactly(
            "-m example.org:1234 is ignored: options that begin with -y ask for YARN.");
  }

  @Test
  void clusterOnYarnIsMeantByItsIdOrTheFileUnlessSomethingElseIsSaid() {
    YarnWords left = new YarnWords(false, Optional.empty(), false, Optional.of(SESSION));
    assertThat(onYarn(Optional.empty(), left, Configuration.EMPTY)).contains(SESSION);
    assertThat(onYarn(Optional.of(GIVEN), left, Configuration.EMPTY)).isEmpty();
    assertThat(
            onYarn(
                Optional.empty(),
                left,
                Configuration.EMPTY.with(DeploymentOptions.TARGET, "remote")))
        .isEmpty();
    assertThat(onYarn(Optional.empty(), YarnWords.NONE, Configuration.EMPTY)).isEmpty();
    YarnWords named =
        new YarnWords(false, Optional.of("application_1_2"), false, Optional.of(SESSION));
    assertThat(onYarn(Optional.empty(), named, Configuration.EMPTY)).contains("application_1_2");
  }

  private static Optional<String> onYarn(
      Optional<HostPort> address, YarnWords yarn, Configuration configuration) {
    return new TargetRequest(Optional.empty(), address, Optional.empty(), yarn, configuration)
        .clusterOnYarn()
        .map(named -> named.get(YarnOptions.APPLICATION_ID));
  }

  private String yarn(YarnWords words) {
    return request(Optional.empty(), Optional.empty(), words, Configuration.EMPTY)
        .get(DeploymentOptions.TARGET);
  }
}
