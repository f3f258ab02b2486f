package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.RestToken;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.core.tls.ClusterKeyFiles;
import io.millrace.yarn.launch.ContainerLayout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** The secrets of one cluster, which its processes and the clients of its user share. */
final class ClusterSecrets {
  private final String cluster;
  private final String secret = RestToken.random();
  private final String restToken = RestToken.random();
  private final String keyPassword = RestToken.random();
  private Optional<FutureTask<Map<String, byte[]>>> keys = Optional.empty();

  ClusterSecrets(String cluster) {
    this.cluster = cluster;
  }

  /** The token of REST clients. */
  String restToken() {
    return restToken;
  }

  /** Files of every process, by their paths in a container. */
  Map<String, byte[]> ofProcesses() {
    return Map.of(ContainerLayout.SECRET, secret.getBytes(StandardCharsets.UTF_8));
  }

  /** Makes the keys in a thread, while the client writes files. */
  void prepare(Configuration configuration) {
    if (!hasConfiguredKey(configuration)) {
      FutureTask<Map<String, byte[]>> task = new FutureTask<>(this::makeKeys);
      keys = Optional.of(task);
      Thread thread = new Thread(task, "make-keys");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Files of the JobManager only. With them a process can impersonate all others. */
  Map<String, byte[]> ofMaster(Configuration configuration) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(ContainerLayout.REST_TOKEN, restToken.getBytes(StandardCharsets.UTF_8));
    if (!hasConfiguredKey(configuration)) {
      files.putAll(keys.map(ClusterSecrets::await).orElseGet(this::makeKeys));
    }
    return files;
  }

  private Map<String, byte[]> makeKeys() {
    Instant now = Instant.now();
    ClusterCertificateAuthority authority =
        ClusterCertificateAuthority.create("Millrace cluster " + cluster, now);
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(ContainerLayout.AUTHORITY, authority.file(keyPassword));
    files.put(
        ContainerLayout.KEY_STORE, authority.issue(ClusterKeyFiles.JOB_MANAGER, keyPassword, now));
    return files;
  }

  private static Map<String, byte[]> await(FutureTask<Map<String, byte[]>> task) {
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorKind.USER, "Interrupted while the keys of the cluster were made.", e);
    } catch (ExecutionException e) {
      throw new MillraceException(
          ErrorKind.BUG,
          "The keys of the cluster could not be made: " + Failure.sentence(e.getCause()),
          e.getCause());
    }
  }

  /** The configuration of a process with these files. */
  Configuration in(Configuration configuration) {
    Configuration known =
        configuration
            .with(SecurityOptions.CLUSTER_SECRET_FILE, ContainerLayout.SECRET)
            .with(SecurityOptions.REST_TOKEN_FILE, ContainerLayout.REST_TOKEN);
    return hasConfiguredKey(configuration)
        ? known
        : new ClusterKeyFiles(ContainerLayout.KEY_STORE, keyPassword).in(known);
  }

  /** Configured key stores are on the nodes. */
  private static boolean hasConfiguredKey(Configuration configuration) {
    return configuration.contains(TlsOptions.KEYSTORE);
  }
}
