package io.millrace.client;

import io.millrace.core.config.Configuration;

/** The target {@code remote}: a running cluster, used over REST. */
public final class RemoteTarget implements Target {
  public static final String NAME = "remote";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean outlivesClient() {
    return true;
  }

  @Override
  public boolean startsCluster() {
    return false;
  }

  @Override
  public RestClusterClient open(Configuration configuration) {
    return RestClusterClient.at(HostPort.of(configuration), configuration);
  }
}
