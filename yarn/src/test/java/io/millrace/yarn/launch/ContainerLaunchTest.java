package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.yarn.YarnOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.Test;

class ContainerLaunchTest {
  private static final Configuration CONFIGURATION =
      Configuration.EMPTY
          .with(YarnOptions.WORKER_ENVIRONMENT.named("ZONE"), "say \"west\" to $USER")
          .with(YarnOptions.MASTER_ENVIRONMENT.named("ROLE"), "master");

  @Test
  void contextHasFilesEnvironmentAndOneCommandLine() {
    ContainerLaunch launch =
        new ContainerLaunch(
            List.of(file("millrace"), file("application")),
            Map.of("A", "1"),
            List.of("java", "-cp", "x", "Main"));
    ContainerLaunchContext context = launch.context(ByteBuffer.allocate(0));
    assertThat(context.getLocalResources()).containsOnlyKeys("millrace", "application");
    assertThat(context.getEnvironment()).containsExactly(Map.entry("A", "1"));
    assertThat(context.getCommands())
        .containsExactly("java -cp x Main 1><LOG_DIR>/stdout.log 2><LOG_DIR>/stderr.log");
    assertThat(context.getTokens()).isNull();
  }

  @Test
  void contextHasTheTokens() {
    ByteBuffer tokens = ByteBuffer.wrap(new byte[] {1, 2, 3});
    assertThat(new ContainerLaunch(List.of(), Map.of(), List.of("x")).context(tokens).getTokens())
        .isEqualTo(tokens);
  }

  @Test
  void variablesOfTheUserAreThoseOfTheOption() {
    Map<String, String> environment =
        ContainerLaunch.environment(CONFIGURATION, ContainerRole.TASK_MANAGER);
    assertThat(environment)
        .containsEntry("ZONE", "say \\\"west\\\" to $USER")
        .containsEntry("LC_ALL", "C.UTF-8")
        .doesNotContainKeys("ROLE", "HADOOP_USER_NAME");
    assertThat(ContainerLaunch.environment(CONFIGURATION, ContainerRole.JOB_MANAGER))
        .containsEntry("ROLE", "master")
        .doesNotContainKey("ZONE");
  }

  /** Each arena of the C library reserves 64 MB of address space, which YARN limits. */
  @Test
  void arenasOfTheCLibraryAreFewUnlessTheUserSetsThem() {
    assertThat(ContainerLaunch.environment(CONFIGURATION, ContainerRole.JOB_MANAGER))
        .containsEntry("MALLOC_ARENA_MAX", "2");
    assertThat(ContainerLaunch.environment(CONFIGURATION, ContainerRole.TASK_MANAGER))
        .containsEntry("MALLOC_ARENA_MAX", "4");
    Configuration configured =
        CONFIGURATION.with(YarnOptions.MASTER_ENVIRONMENT.named("MALLOC_ARENA_MAX"), "8");
    assertThat(ContainerLaunch.environment(configured, ContainerRole.JOB_MANAGER))
        .containsEntry("MALLOC_ARENA_MAX", "8");
  }

  @Test
  void containerActsAsTheUserWithoutAuthentication() {
    assertThat(ContainerLaunch.environment(CONFIGURATION, ContainerRole.TASK_MANAGER, "mi`ller"))
        .containsEntry("HADOOP_USER_NAME", "mi\\`ller");
  }

  @Test
  void configuredUserReplacesTheSubmittingOne() {
    Configuration configured =
        CONFIGURATION.with(YarnOptions.WORKER_ENVIRONMENT.named("HADOOP_USER_NAME"), "etl");
    assertThat(ContainerLaunch.environment(configured, ContainerRole.TASK_MANAGER, "miller"))
        .containsEntry("HADOOP_USER_NAME", "etl");
  }

  @Test
  void kerberosConfigurationBecomesAnOptionOfTheJvm() {
    assertThat(ContainerLaunch.options(List.of(file("millrace")))).isEmpty();
    assertThat(ContainerLaunch.options(List.of(file("millrace"), file("krb5.conf"))))
        .containsExactly("-Djava.security.krb5.conf=krb5.conf");
  }

  @Test
  void launchCopiesItsCollections() {
    List<StagedFile> files = new ArrayList<>(List.of(file("a")));
    Map<String, String> environment = new LinkedHashMap<>(Map.of("A", "1"));
    List<String> command = new ArrayList<>(List.of("x"));
    ContainerLaunch launch = new ContainerLaunch(files, environment, command);
    files.clear();
    environment.clear();
    command.clear();
    assertThat(launch.files()).hasSize(1);
    assertThat(launch.environment()).hasSize(1);
    assertThat(launch.command()).hasSize(1);
    assertThat(launch.secrets()).isEmpty();
  }

  @Test
  void secretsAreAddedToALaunch() {
    ContainerLaunch plain = new ContainerLaunch(List.of(), Map.of(), List.of("x"));
    ContainerLaunch secret = plain.with(Map.of("secrets/key", new byte[] {7}));
    assertThat(secret.secrets()).containsOnlyKeys("secrets/key");
    assertThat(secret.command()).isEqualTo(plain.command());
    assertThat(secret.context(ByteBuffer.allocate(0)).getTokens().hasRemaining()).isTrue();
    // The secret is neither in the command nor in the environment.
    ContainerLaunchContext context = secret.context(ByteBuffer.allocate(0));
    assertThat(context.getCommands().toString() + context.getEnvironment())
        .doesNotContain("secrets/key");
  }

  private static StagedFile file(String link) {
    return new StagedFile(
        link,
        URI.create("hdfs:///" + link),
        1,
        1,
        LocalResourceType.FILE,
        LocalResourceVisibility.APPLICATION,
        true);
  }
}
