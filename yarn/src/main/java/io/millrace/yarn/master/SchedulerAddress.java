package io.millrace.yarn.master;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address at which an ApplicationMaster reaches YARN's scheduler. In a federation this is a
 * proxy on the node of the ApplicationMaster, which only the configuration of the node names: the
 * client's configuration, which is shipped, has the address for other machines.
 */
final class SchedulerAddress {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerAddress.class);

  private SchedulerAddress() {}

  /**
   * The configuration with the scheduler addresses of the node, if the node sets them.
   *
   * @param node the directory of Hadoop's configuration of the node
   */
  static YarnConfiguration in(YarnConfiguration client, Optional<Path> node) {
    Optional<Path> file =
        node.map(directory -> directory.resolve("yarn-site.xml")).filter(Files::isReadable);
    if (file.isEmpty()) {
      return client;
    }
    Configuration site = new Configuration(false);
    site.addResource(new org.apache.hadoop.fs.Path(file.get().toUri()));
    YarnConfiguration located = new YarnConfiguration(client);
    for (Map.Entry<String, String> property : site) {
      String key = property.getKey();
      if (key.equals(YarnConfiguration.RM_SCHEDULER_ADDRESS)
          || key.startsWith(YarnConfiguration.RM_SCHEDULER_ADDRESS + ".")) {
        located.set(key, site.get(key));
      }
    }
    if (site.getBoolean(YarnConfiguration.AMRM_PROXY_ENABLED, false)) {
      if (site.get(YarnConfiguration.RM_SCHEDULER_ADDRESS) == null) {
        int port =
            site.getSocketAddr(
                    YarnConfiguration.AMRM_PROXY_ADDRESS,
                    YarnConfiguration.DEFAULT_AMRM_PROXY_ADDRESS,
                    YarnConfiguration.DEFAULT_AMRM_PROXY_PORT)
                .getPort();
        located.set(YarnConfiguration.RM_SCHEDULER_ADDRESS, "localhost:" + port);
      }
      // The proxy itself fails over between ResourceManagers.
      located.setBoolean(YarnConfiguration.RM_HA_ENABLED, false);
    }
    LOG.info(
        "YARN's scheduler is at {}, with the configuration of the node in {}",
        located.get(YarnConfiguration.RM_SCHEDULER_ADDRESS),
        node.get());
    return located;
  }
}
