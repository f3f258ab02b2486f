package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Progress;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.StagedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShippedFilesTest {
  @TempDir Path directory;
  private Configuration configuration;

  @BeforeEach
  void logIn() throws IOException {
    Path keytab = Files.writeString(directory.resolve("my.keytab"), "key");
    Path servers = Files.writeString(directory.resolve("my.conf"), "servers");
    configuration =
        Configuration.EMPTY
            .with(YarnOptions.STAGING_DIR, directory.resolve("staging").toUri())
            .with(SecurityOptions.KERBEROS_KEYTAB, keytab)
            .with(SecurityOptions.KERBEROS_PRINCIPAL, "miller")
            .with(SecurityOptions.KERBEROS_CONFIGURATION, servers);
  }

  @Test
  @Behaviour(
      "B5: only the JobManager gets the keytab, unless tokens are disabled, and only its user can"
          + " read it")
  void keytabIsForTheJobManagerAndReadableOnlyByItsUser() throws Exception {
    List<StagedFile> staged = staged(configuration);
    StagedFile keytab = find(staged, ContainerLayout.KEYTAB);
    assertThat(keytab.forWorkers()).isFalse();
    assertThat(keytab.visibility()).isEqualTo(LocalResourceVisibility.APPLICATION);
    assertThat(Files.getPosixFilePermissions(Path.of(keytab.place())))
        .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    assertThat(find(staged, ContainerLayout.KERBEROS_CONFIGURATION).forWorkers()).isTrue();
  }

  @Test
  @Behaviour(
      "B5: only the JobManager gets the keytab, unless tokens are disabled, and only its user can"
          + " read it")
  void taskManagersHaveTheKeytabWithoutDelegationTokens() throws Exception {
    for (Configuration without :
        List.of(
            configuration.with(SecurityOptions.DELEGATION_TOKENS, false),
            configuration.with(
                SecurityOptions.DELEGATION_TOKEN_PROVIDER.named("hadoopfs"), false))) {
      assertThat(find(staged(without), ContainerLayout.KEYTAB).forWorkers()).isTrue();
    }
  }

  @Test
  void configurationHasThePathsInContainers() {
    Configuration adapted = ShippedFiles.in(configuration);
    assertThat(adapted.get(SecurityOptions.KERBEROS_KEYTAB)).isEqualTo(ContainerLayout.KEYTAB);
    assertThat(adapted.get(SecurityOptions.KERBEROS_CONFIGURATION))
        .isEqualTo(ContainerLayout.KERBEROS_CONFIGURATION);
  }

  private static StagedFile find(List<StagedFile> staged, String link) {
    return staged.stream().filter(file -> file.link().equals(link)).findFirst().orElseThrow();
  }

  private static List<StagedFile> staged(Configuration configuration) throws IOException {
    org.apache.hadoop.conf.Configuration hadoop = new org.apache.hadoop.conf.Configuration();
    StagingDirectory staging =
        StagingDirectory.of(configuration, hadoop, "application_" + UUID.randomUUID());
    staging.make();
    ShippedFiles shipped = ShippedFiles.of(DeploymentSpec.ofSession(configuration), hadoop);
    ParallelUpload uploads = new ParallelUpload(Progress.SILENT);
    shipped.send(staging, uploads);
    uploads.await(staging.directory().toString());
    return shipped.staged(staging);
  }
}
