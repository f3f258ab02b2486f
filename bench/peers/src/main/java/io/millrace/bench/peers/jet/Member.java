package io.millrace.bench.peers.jet;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;

/** An embedded member with Jet on. */
final class Member {
  private Member() {}

  /**
   * @param alone true: no discovery, the member forms its cluster at once; false: the default
   *     discovery.
   */
  static HazelcastInstance start(boolean alone) {
    Config config = new Config();
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "none");
    config.getJetConfig().setEnabled(true);
    if (alone) {
      config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
      config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
      config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    }
    return Hazelcast.newHazelcastInstance(config);
  }
}
