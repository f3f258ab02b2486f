package io.millrace.ha.zookeeper;

import io.millrace.control.ha.ClusterRegistry;
import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.CoordinatorProvider;
import io.millrace.core.config.Configuration;
import io.millrace.rpc.Env;

/** The type {@code zookeeper} of high availability. */
public final class ZooKeeperCoordinatorProvider implements CoordinatorProvider {
  @Override
  public String name() {
    return "zookeeper";
  }

  @Override
  public Coordinator connect(Configuration configuration, Env env) {
    return ZooKeeperCoordinator.connect(configuration, env);
  }

  @Override
  public ClusterRegistry registry(Configuration configuration) {
    return ZooKeeperClusters.open(configuration);
  }
}
