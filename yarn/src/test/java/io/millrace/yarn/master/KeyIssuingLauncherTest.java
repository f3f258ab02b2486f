package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import java.io.ByteArrayInputStream;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyIssuingLauncherTest {
  private static final String PASSWORD = "a password";
  private static final WorkerSpec SPEC =
      WorkerSpec.of(Configuration.EMPTY.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m"));

  private final ClusterCertificateAuthority authority =
      ClusterCertificateAuthority.create("cluster", Instant.now());
  private final KeyIssuingLauncher launcher =
      new KeyIssuingLauncher(
          authority,
          PASSWORD,
          (worker, spec, host) ->
              new ContainerLaunch(List.of(), Map.of("HOST", host), List.of("go")));

  @Test
  @Behaviour(
      "I4: each process on YARN has its own key; a TaskManager container has neither the authority"
          + " nor the JobManager's key")
  void eachWorkerHasAKeyWithItsName() throws Exception {
    ContainerLaunch one = launcher.launch(new WorkerId("container_1"), SPEC, "here");
    ContainerLaunch other = launcher.launch(new WorkerId("container_2"), SPEC, "there");
    assertThat(one.environment()).containsEntry("HOST", "here");
    assertThat(one.command()).containsExactly("go");
    assertThat(certificate(one).getSubjectX500Principal().getName()).isEqualTo("CN=container_1");
    assertThat(certificate(other).getSubjectX500Principal().getName()).isEqualTo("CN=container_2");
    assertThat(certificate(one).getPublicKey()).isNotEqualTo(certificate(other).getPublicKey());
  }

  @Test
  @Behaviour(
      "I4: each process on YARN has its own key; a TaskManager container has neither the authority"
          + " nor the JobManager's key")
  void workerHasNoSecretOfTheMaster() {
    assertThat(launcher.launch(new WorkerId("container_1"), SPEC, "here").secrets())
        .containsOnlyKeys(ContainerLayout.KEY_STORE);
  }

  @Test
  void textDoesNotShowThePassword() {
    assertThat(launcher.toString()).doesNotContain(PASSWORD);
  }

  private static X509Certificate certificate(ContainerLaunch launch) throws Exception {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(
        new ByteArrayInputStream(launch.secrets().get(ContainerLayout.KEY_STORE)),
        PASSWORD.toCharArray());
    return (X509Certificate) store.getCertificate("process");
  }
}
