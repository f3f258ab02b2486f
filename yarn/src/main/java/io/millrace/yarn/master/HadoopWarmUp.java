package io.millrace.yarn.master;

import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.fs.hadoop.HadoopSettings;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.NMClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads Hadoop's client, and what makes keys for TaskManagers, while the services of the process
 * start: both take a good second, and there is mostly more than one processor.
 */
final class HadoopWarmUp implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopWarmUp.class);

  private final Map<String, String> environment;

  private HadoopWarmUp(Map<String, String> environment) {
    this.environment = environment;
  }

  static void begin(Map<String, String> environment) {
    Thread thread = new Thread(new HadoopWarmUp(environment), "warm-up");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    try {
      YarnConfiguration hadoop = HadoopSettings.ofYarn(environment);
      UserGroupInformation.getCurrentUser();
      AMRMClient<AMRMClient.ContainerRequest> master = AMRMClient.createAMRMClient();
      master.init(hadoop);
      master.stop();
      NMClient nodes = NMClient.createNMClient();
      nodes.init(hadoop);
      nodes.stop();
      ClusterCertificateAuthority.create("warm-up", Instant.now())
          .issue("nobody", "", Instant.now());
    } catch (IOException | RuntimeException e) {
      // Whoever needs it for something comes to the same end and can say what for.
      LOG.debug("What is needed later could not be loaded in advance", e);
    }
  }
}
