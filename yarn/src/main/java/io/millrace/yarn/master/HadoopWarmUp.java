package io.millrace.yarn.master;

import io.millrace.core.config.Configuration;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.core.tls.TlsWarmUp;
import io.millrace.fs.hadoop.HadoopSettings;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.NMClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the classes of Hadoop's client, of the certificate authority and of TLS while the services
 * of the process start. They take about a second, and most machines have more than one processor.
 */
final class HadoopWarmUp implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopWarmUp.class);

  /** What the thread has read, because Hadoop parses its thousand defaults each time. */
  private static final AtomicReference<YarnConfiguration> SETTINGS = new AtomicReference<>();

  private final Map<String, String> environment;
  private final Configuration configuration;

  private HadoopWarmUp(Map<String, String> environment, Configuration configuration) {
    this.environment = environment;
    this.configuration = configuration;
  }

  static void begin(Map<String, String> environment, Configuration configuration) {
    Thread thread = new Thread(new HadoopWarmUp(environment, configuration), "warm-up");
    thread.setDaemon(true);
    thread.start();
  }

  /** Hadoop's settings of this process. */
  static YarnConfiguration settings(Map<String, String> environment, Configuration configuration) {
    return Optional.ofNullable(SETTINGS.get())
        .map(YarnConfiguration::new)
        .orElseGet(() -> HadoopSettings.ofYarn(environment, configuration));
  }

  @Override
  public void run() {
    try {
      YarnConfiguration hadoop = HadoopSettings.ofYarn(environment, configuration);
      SETTINGS.set(new YarnConfiguration(hadoop));
      UserGroupInformation.getCurrentUser();
      AMRMClient<AMRMClient.ContainerRequest> master = AMRMClient.createAMRMClient();
      master.init(hadoop);
      master.stop();
      NMClient nodes = NMClient.createNMClient();
      nodes.init(hadoop);
      nodes.stop();
      ClusterCertificateAuthority.create("warm-up", Instant.now())
          .issue("warm-up", "", Instant.now());
      // The first TaskManager connects while it waits for this process.
      TlsWarmUp.run(configuration);
    } catch (IOException | RuntimeException e) {
      // The component that needs the classes gets the same error and reports it.
      LOG.debug("Classes could not be loaded in advance", e);
    }
  }
}
