package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.yarn.launch.ContainerLayout;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterSecretsTest {
  private final ClusterSecrets secrets = new ClusterSecrets("application_1_1");

  @Test
  void eachClusterHasItsOwnSecrets() {
    ClusterSecrets other = new ClusterSecrets("application_1_1");
    assertThat(secrets.restToken()).isNotEqualTo(other.restToken()).hasSizeGreaterThan(20);
    assertThat(text(secrets.ofProcesses(), ContainerLayout.SECRET))
        .isNotEqualTo(text(other.ofProcesses(), ContainerLayout.SECRET))
        .isNotEqualTo(secrets.restToken());
  }

  @Test
  @Behaviour(
      "I4: each process on YARN has its own key; a TaskManager container has neither the authority"
          + " nor the JobManager's key")
  void filesOfAllProcessesDoNotHaveTheAuthority() {
    assertThat(secrets.ofProcesses()).containsOnlyKeys(ContainerLayout.SECRET);
    assertThat(secrets.ofMaster(Configuration.EMPTY))
        .containsOnlyKeys(
            ContainerLayout.REST_TOKEN, ContainerLayout.AUTHORITY, ContainerLayout.KEY_STORE);
    assertThat(text(secrets.ofMaster(Configuration.EMPTY), ContainerLayout.REST_TOKEN))
        .isEqualTo(secrets.restToken());
  }

  @Test
  void keyOfTheJobManagerIsSignedByTheAuthority() throws Exception {
    Map<String, byte[]> files = secrets.ofMaster(Configuration.EMPTY);
    Configuration configuration = secrets.in(Configuration.EMPTY);
    String password = configuration.get(TlsOptions.KEYSTORE_PASSWORD);
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(
        new ByteArrayInputStream(files.get(ContainerLayout.KEY_STORE)), password.toCharArray());
    X509Certificate certificate = (X509Certificate) store.getCertificate("process");
    assertThat(certificate.getSubjectX500Principal().getName())
        .isEqualTo(configuration.get(TlsOptions.JOB_MANAGER_SUBJECT));
    assertThat(certificate.getIssuerX500Principal().getName()).contains("application_1_1");
    assertThat(ClusterCertificateAuthority.read(files.get(ContainerLayout.AUTHORITY), password))
        .isNotNull();
  }

  @Test
  void keysThatWerePreparedAreThoseOfTheJobManager() {
    secrets.prepare(Configuration.EMPTY);
    Map<String, byte[]> files = secrets.ofMaster(Configuration.EMPTY);
    // Keys that are made at the call would differ.
    assertThat(secrets.ofMaster(Configuration.EMPTY).get(ContainerLayout.KEY_STORE))
        .isEqualTo(files.get(ContainerLayout.KEY_STORE));
    assertThat(secrets.ofMaster(Configuration.EMPTY).get(ContainerLayout.AUTHORITY))
        .isEqualTo(files.get(ContainerLayout.AUTHORITY));
  }

  @Test
  void processesFindTheirFiles() {
    Configuration configuration = secrets.in(Configuration.EMPTY);
    assertThat(configuration.get(SecurityOptions.CLUSTER_SECRET_FILE))
        .isEqualTo(ContainerLayout.SECRET);
    assertThat(configuration.get(SecurityOptions.REST_TOKEN_FILE))
        .isEqualTo(ContainerLayout.REST_TOKEN);
    assertThat(configuration.get(TlsOptions.INTERNAL_ENABLED)).isTrue();
    assertThat(configuration.get(TlsOptions.KEYSTORE)).isEqualTo(ContainerLayout.KEY_STORE);
    assertThat(configuration.get(TlsOptions.TRUSTSTORE)).isEqualTo(ContainerLayout.KEY_STORE);
  }

  @Test
  void configuredKeyIsKept() {
    Configuration own =
        Configuration.EMPTY
            .with(TlsOptions.INTERNAL_ENABLED, true)
            .with(TlsOptions.KEYSTORE, "/etc/millrace/node.jks");
    assertThat(secrets.in(own).get(TlsOptions.KEYSTORE)).isEqualTo("/etc/millrace/node.jks");
    assertThat(secrets.in(own).contains(TlsOptions.JOB_MANAGER_SUBJECT)).isFalse();
    assertThat(secrets.ofMaster(own)).containsOnlyKeys(ContainerLayout.REST_TOKEN);
  }

  private static String text(Map<String, byte[]> files, String path) {
    return new String(files.get(path), StandardCharsets.UTF_8);
  }
}
