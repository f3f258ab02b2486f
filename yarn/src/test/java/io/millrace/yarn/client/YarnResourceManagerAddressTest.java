package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

/** The addresses in the message about a ResourceManager that does not answer. */
class YarnResourceManagerAddressTest {
  @Test
  void singleResourceManagerHasOneAddress() {
    YarnConfiguration configuration = new YarnConfiguration();
    configuration.set(YarnConfiguration.RM_ADDRESS, "rm.example.com:9000");
    assertThat(YarnResourceManagerClient.addresses(configuration)).isEqualTo("rm.example.com:9000");
  }

  @Test
  void resourceManagersWithHighAvailabilityAreAllNamed() {
    YarnConfiguration configuration = new YarnConfiguration();
    configuration.setBoolean(YarnConfiguration.RM_HA_ENABLED, true);
    configuration.set(YarnConfiguration.RM_HA_IDS, "rm1,rm2,rm3");
    configuration.set(YarnConfiguration.RM_ADDRESS + ".rm1", "one.example.com:9000");
    configuration.set(YarnConfiguration.RM_HOSTNAME + ".rm2", "two.example.com");
    assertThat(YarnResourceManagerClient.addresses(configuration))
        .isEqualTo(
            "one.example.com:9000 (rm1) or two.example.com:8032 (rm2) or an unknown address (rm3)");
  }
}
