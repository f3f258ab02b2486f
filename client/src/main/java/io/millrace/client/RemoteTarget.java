package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;

/** A cluster that runs already, reached over REST. */
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
  public RestClusterClient open(Configuration configuration) {
    return new RestClusterClient(
        HostPort.of(configuration), configuration.get(Options.CLIENT_TIMEOUT));
  }
}
