package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * Gives each worker its own key, with which it can impersonate neither another worker nor the
 * JobManager.
 *
 * @param password of the key stores of the cluster's processes
 * @param launcher creates the launch without the key
 */
record KeyIssuingLauncher(
    ClusterCertificateAuthority authority, String password, WorkerLauncher launcher)
    implements WorkerLauncher {
  KeyIssuingLauncher {
    Objects.requireNonNull(authority);
    Objects.requireNonNull(password);
    Objects.requireNonNull(launcher);
  }

  @Override
  public ContainerLaunch launch(WorkerId worker, WorkerSpec spec, String host) {
    byte[] key = authority.issue(worker.value(), password, Instant.now());
    return launcher.launch(worker, spec, host).with(Map.of(ContainerLayout.KEY_STORE, key));
  }

  /** Does not show the password. */
  @Override
  public String toString() {
    return launcher + ", each with its own key";
  }
}
