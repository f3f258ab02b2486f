package io.millrace.cluster;

import io.millrace.client.ClusterClient;
import io.millrace.client.Target;
import io.millrace.core.config.Configuration;

/** The target {@code local}: an embedded cluster that ends with its client. */
public final class LocalTarget implements Target {
  @Override
  public String name() {
    return "local";
  }

  @Override
  public boolean outlivesClient() {
    return false;
  }

  @Override
  public ClusterClient open(Configuration configuration) {
    return new EmbeddedCluster(configuration);
  }
}
