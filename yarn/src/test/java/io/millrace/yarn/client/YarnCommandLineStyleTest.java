package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CommandLineStyle;
import io.millrace.client.CommandLineStyle.RunningCluster;
import io.millrace.client.HostPort;
import io.millrace.client.StyleArguments;
import io.millrace.client.StyleOption;
import io.millrace.client.StyleRequest;
import io.millrace.client.TargetRequest;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class YarnCommandLineStyleTest {
  private static final HostPort ADDRESS = new HostPort("example.org", 1234);
  private static final String SESSION = "application_1700000000000_0001";

  @TempDir private Path home;

  private final CommandLineStyle style = new YarnCommandLineStyle();
  private final List<String> warnings = new ArrayList<>();

  @Test
  void serviceLoaderFindsTheStyle() {
    assertThat(ServiceLoader.load(CommandLineStyle.class).stream())
        .extracting(provider -> provider.type().getName())
        .containsExactly(YarnCommandLineStyle.class.getName());
    assertThat(style.missingLibraries()).isEmpty();
  }

  @Test
  void eachOptionSetsAConfigurationOption() {
    Map<String, List<String>> options = new LinkedHashMap<>();
    options.put("-yjm", List.of("1600"));
    options.put("-ytm", List.of("2g"));
    options.put("-ys", List.of("3"));
    options.put("-yqu", List.of("small"));
    options.put("-ynm", List.of("my job"));
    options.put("-yat", List.of("Test"));
    options.put("-ynl", List.of("fast"));
    options.put("-yz", List.of("mine"));
    options.put("-yd", List.of("true"));
    options.put("-yt", List.of("a.txt", "b"));
    options.put("-yD", List.of("yarn.tags=x", "parallelism.default=2"));
    assertThat(style.overrides(arguments(Optional.empty(), options, false)))
        .containsExactly(
            "jobmanager.memory.process.size=1600m",
            "taskmanager.memory.process.size=2g",
            "taskmanager.numberOfTaskSlots=3",
            "yarn.application.queue=small",
            "yarn.application.name=my job",
            "yarn.application.type=Test",
            "yarn.application.node-label=fast",
            "yarn.ship-files=a.txt;b",
            "high-availability.cluster-id=mine",
            "execution.attached=false",
            "yarn.tags=x",
            "parallelism.default=2");
    assertThat(style.options(CommandLineStyle.Use.RUN))
        .extracting(option -> option.names().get(0))
        .containsAll(options.keySet());
  }

  @Test
  void onlyTheApplicationIsAnOptionOfCommandsAboutARunningCluster() {
    assertThat(style.options(CommandLineStyle.Use.CLUSTER))
        .extracting(StyleOption::names)
        .containsExactly(List.of("-yid", "--yarnapplicationId"));
    assertThat(style.options(CommandLineStyle.Use.START_SESSION))
        .extracting(option -> option.names().get(0))
        .contains("-yjm")
        .doesNotContain("-yid");
  }

  @Test
  @Behaviour(
      "A3: the YARN style takes -m yarn-cluster, -yid, y-options and the properties file; -yn is"
          + " ignored with a warning")
  void numberOfContainersIsIgnoredWithAWarning() {
    StyleArguments given = options("-yn", "4");
    assertThat(style.warnings(given))
        .containsExactly("-yn is ignored: TaskManagers are started as the jobs need them.");
    assertThat(style.overrides(given)).isEmpty();
    assertThat(target(given)).isEqualTo("yarn-per-job");
  }

  @Test
  void malformedApplicationIsRefused() {
    assertThatThrownBy(() -> style.session(options("-yid", "job_1_2")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("'job_1_2'");
  }

  @Test
  void targetOfTheGenericStyleGoesFirst() {
    StyleArguments given =
        arguments(
            Optional.of("yarn-cluster"),
            Map.of("-yid", List.of(SESSION), "-ys", List.of("2")),
            false);
    Configuration decided = decide(Optional.of("local"), given);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("local");
    assertThat(decided.contains(YarnOptions.APPLICATION_ID)).isFalse();
    assertThat(warnings)
        .containsExactly(
            "Ignored: -m yarn-cluster, -yid "
                + SESSION
                + ", the other options that begin with -y. The target is 'local', as -t says.");
  }

  @Test
  void targetThatStartsAClusterIgnoresAnApplicationId() {
    StyleArguments named = options("-yid", SESSION);
    Configuration decided = decide(Optional.of("yarn-per-job"), named);
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("yarn-per-job");
    assertThat(decided.contains(YarnOptions.APPLICATION_ID)).isFalse();
    assertThat(warnings).singleElement().asString().startsWith("Ignored: -yid " + SESSION + ". ");
    assertThat(decide(Optional.of("yarn-session"), named).get(YarnOptions.APPLICATION_ID))
        .isEqualTo(SESSION);
    assertThat(warnings).hasSize(1);
  }

  @Test
  @Behaviour(
      "A3: the YARN style takes -m yarn-cluster, -yid, y-options and the properties file; -yn is"
          + " ignored with a warning")
  void optionsSelectAPerJobCluster() {
    assertThat(target(arguments(Optional.of("yarn-cluster"), Map.of(), false)))
        .isEqualTo("yarn-per-job");
    assertThat(target(options("-ys", "2"))).isEqualTo("yarn-per-job");
    // Sizes are of a new cluster, also where a session runs.
    writeSessionFile();
    assertThat(target(options("-ys", "2"))).isEqualTo("yarn-per-job");
  }

  @Test
  @Behaviour(
      "A3: the YARN style takes -m yarn-cluster, -yid, y-options and the properties file; -yn is"
          + " ignored with a warning")
  void applicationIdOrSessionFileSelectsTheSession() {
    writeSessionFile();
    Configuration decided = decide(Optional.empty(), options("-yid", "application_1_2"));
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("yarn-session");
    assertThat(decided.get(YarnOptions.APPLICATION_ID)).isEqualTo("application_1_2");
    decided = decide(Optional.empty(), nothing(false));
    assertThat(decided.get(DeploymentOptions.TARGET)).isEqualTo("yarn-session");
    assertThat(decided.get(YarnOptions.APPLICATION_ID)).isEqualTo(SESSION);
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void genericStyleAndAddressGoBeforeTheSessionFile() {
    writeSessionFile();
    assertThat(decide(Optional.of("local"), nothing(false)).get(DeploymentOptions.TARGET))
        .isEqualTo("local");
    assertThat(decide(Optional.empty(), nothing(true)).get(DeploymentOptions.TARGET))
        .isEqualTo("remote");
  }

  @Test
  void optionsGoBeforeAnAddress() {
    assertThat(target(arguments(Optional.empty(), Map.of("-ys", List.of("2")), true)))
        .isEqualTo("yarn-per-job");
    assertThat(warnings)
        .containsExactly("-m with an address is ignored: options that begin with -y ask for YARN.");
  }

  @Test
  void runningClusterIsFoundByItsIdOrTheSessionFile() {
    assertThat(cluster(nothing(false), Configuration.EMPTY)).isEmpty();
    writeSessionFile();
    assertThat(cluster(nothing(false), Configuration.EMPTY)).contains(SESSION);
    assertThat(cluster(nothing(true), Configuration.EMPTY)).isEmpty();
    Configuration remote = Configuration.EMPTY.with(DeploymentOptions.TARGET, "remote");
    assertThat(cluster(nothing(false), remote)).isEmpty();
    assertThat(cluster(options("-yid", "application_1_2"), remote)).contains("application_1_2");
  }

  @Test
  void lastValueOfARepeatedOptionCounts() {
    StyleArguments given =
        arguments(
            Optional.empty(),
            Map.of("-ys", List.of("2", "3"), "-yjm", List.of("1g", "1600")),
            false);
    assertThat(style.overrides(given))
        .containsExactlyInAnyOrder(
            "taskmanager.numberOfTaskSlots=3", "jobmanager.memory.process.size=1600m");
  }

  @Test
  void sizesWithAUnitAreKept() {
    for (String size : List.of("1g", "1600m", "1 gb", "1.5g")) {
      assertThat(style.overrides(options("-ytm", size)))
          .containsExactly("taskmanager.memory.process.size=" + size);
    }
  }

  @Test
  void styleOwnsItsTargetsAndItsAddress() {
    for (DeploymentMode mode : DeploymentMode.values()) {
      assertThat(style.ownsTarget(mode.target())).isTrue();
    }
    assertThat(style.ownsTarget("remote")).isFalse();
    assertThat(style.ownsTarget("yarn")).isFalse();
    assertThat(style.isAddress("yarn-cluster")).isTrue();
    assertThat(style.isAddress("yarn-cluster:8081")).isFalse();
    assertThat(style.isAddress("host:8081")).isFalse();
  }

  @Test
  void styleIsInactiveWithoutOptionsAndSession() {
    assertThat(style.isActive(nothing(false), Configuration.EMPTY)).isFalse();
    assertThat(style.isActive(options("-ys", "1"), Configuration.EMPTY)).isTrue();
    writeSessionFile();
    assertThat(style.isActive(nothing(false), Configuration.EMPTY)).isTrue();
    assertThat(style.isActive(nothing(true), Configuration.EMPTY)).isFalse();
  }

  @Test
  void sessionFileInAConfiguredDirectoryIsUsed() {
    Configuration elsewhere =
        Configuration.EMPTY.with(
            YarnOptions.PROPERTIES_FILE_DIR, home.resolve("elsewhere").toString());
    YarnSessionFile.of(elsewhere, environment()).write("application_3_3");
    assertThat(cluster(nothing(false), elsewhere)).contains("application_3_3");
    assertThat(cluster(nothing(false), Configuration.EMPTY)).isEmpty();
  }

  @Test
  void everyOptionHasADescriptionAndEveryUseItsExamples() {
    for (CommandLineStyle.Use use : CommandLineStyle.Use.values()) {
      assertThat(style.options(use))
          .allSatisfy(option -> assertThat(option.description()).isNotBlank());
      assertThat(style.examples(use)).allMatch(example -> example.startsWith("millrace "));
    }
    assertThat(style.examples(CommandLineStyle.Use.RUN)).isNotEmpty();
    assertThat(style.heading()).contains("YARN");
  }

  private Optional<String> cluster(StyleArguments given, Configuration configuration) {
    return request(Optional.empty(), given, configuration)
        .cluster()
        .map(RunningCluster::configuration)
        .map(named -> named.get(YarnOptions.APPLICATION_ID));
  }

  private String target(StyleArguments given) {
    return decide(Optional.empty(), given).get(DeploymentOptions.TARGET);
  }

  private Configuration decide(Optional<String> target, StyleArguments given) {
    return request(target, given, Configuration.EMPTY).decide(warnings::add);
  }

  private TargetRequest request(
      Optional<String> target, StyleArguments given, Configuration configuration) {
    return new TargetRequest(
        target,
        given.hasHostPort() ? Optional.of(ADDRESS) : Optional.empty(),
        Optional.empty(),
        List.of(new StyleRequest(style, given)),
        configuration);
  }

  private void writeSessionFile() {
    YarnSessionFile.of(Configuration.EMPTY, environment()).write(SESSION);
  }

  private StyleArguments nothing(boolean hasHostPort) {
    return arguments(Optional.empty(), Map.of(), hasHostPort);
  }

  private StyleArguments options(String name, String value) {
    return arguments(Optional.empty(), Map.of(name, List.of(value)), false);
  }

  private StyleArguments arguments(
      Optional<String> address, Map<String, List<String>> options, boolean hasHostPort) {
    return new StyleArguments(address, options, hasHostPort, environment());
  }

  private Map<String, String> environment() {
    return Map.of("HOME", home.toString());
  }
}
