package io.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands about keys and bundles, without a cluster of processes. */
class ClusterKeysCommandsTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;
  private ClusterDirectory clusterDirectory;

  @BeforeEach
  void setUp() {
    cli = new CommandLineHarness(directory);
    clusterDirectory = ClusterDirectory.byDefault(cli.console());
  }

  @Test
  @Behaviour("I4: only their owner can read the keys of a cluster, and they are never overwritten")
  void keysAreMadeOnce() throws IOException {
    assertThat(cli.call("cluster", "keys")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("SHA-256: ").contains("cluster start --bind");
    byte[] authority = Files.readAllBytes(clusterDirectory.keys().resolve("authority.jks"));
    assertThat(cli.call("cluster", "keys")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("exists already");
    assertThat(clusterDirectory.keys().resolve("authority.jks")).hasBinaryContent(authority);
  }

  @Test
  void bundleNeedsARunningCluster() {
    assertThat(cli.call("cluster", "bundle", directory.resolve("file").toString()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("cluster start --bind");
    assertThat(cli.call("cluster", "bundle", "file", "--days", "0")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--days");
  }

  @Test
  void joinNeedsABundle() {
    assertThat(cli.call("cluster", "join", directory.resolve("file").toString()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("There is no file").contains("millrace cluster bundle");
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "fd00::7", "203.0.113.77", "no such host"})
  void bindsOnlyToAnAddressOfThisMachine(String address) {
    assertThat(cli.call("cluster", "start", "--bind", address)).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--bind");
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  @Behaviour("I4: a bundle lets one TaskManager join; only its owner can read it")
  void bundleHasNothingOfTheJobManager() {
    Configuration cluster =
        Configuration.EMPTY
            .with(TlsOptions.KEYSTORE_PASSWORD, "a password")
            .with(SecurityOptions.REST_TOKEN_FILE, "/here/rest-token")
            .with(SecurityOptions.CLUSTER_SECRET_FILE, "/here/secret")
            .with(RestOptions.PORT, 8081)
            .with(CoreOptions.TMP_DIRS, "/here/tmp")
            .with(HighAvailabilityOptions.HA_MODE, HighAvailabilityOptions.FILE)
            .with(HighAvailabilityOptions.HA_STORAGE_PATH, "/here/ha")
            .with(JobManagerOptions.BIND_HOST, "192.0.2.7")
            .with(TaskManagerOptions.HOST, "192.0.2.7")
            .with(TaskManagerOptions.BIND_HOST, "192.0.2.7");
    Configuration kept =
        Configuration.EMPTY
            .with(JobManagerOptions.ADDRESS, "192.0.2.7")
            .with(JobManagerOptions.PORT, 6123)
            .with(TaskManagerOptions.NUM_TASK_SLOTS, 4)
            .with(CheckpointingOptions.DIRECTORY, "hdfs://there/checkpoints");
    assertThat(ClusterBundle.ofWorkers(cluster.overriddenBy(kept))).isEqualTo(kept);
  }
}
