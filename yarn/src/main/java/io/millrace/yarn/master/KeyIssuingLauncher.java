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
 * Gives each worker a key of its own, with which it can pose as nobody else: neither as another
 * worker nor as the JobManager.
 *
 * @param password under which processes of the cluster open their key stores
 * @param program what is launched otherwise
 */
record KeyIssuingLauncher(
    ClusterCertificateAuthority authority, String password, WorkerLauncher program)
    implements WorkerLauncher {
  KeyIssuingLauncher {
    Objects.requireNonNull(authority);
    Objects.requireNonNull(password);
    Objects.requireNonNull(program);
  }

  @Override
  public ContainerLaunch launch(WorkerId worker, WorkerSpec spec, String host) {
    byte[] key = authority.issue(worker.value(), password, Instant.now());
    return program.launch(worker, spec, host).with(Map.of(ContainerLayout.KEY_STORE, key));
  }

  /** Does not show the password. */
  @Override
  public String toString() {
    return program + ", each with a key of its own";
  }
}
