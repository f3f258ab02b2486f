package io.millrace.yarn.master;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** What the names of machines mean to those that listen on them. */
final class BindAddresses {
  private static final String EVERYWHERE = "0.0.0.0";

  private BindAddresses() {}

  /**
   * Where to listen so that others reach it by this name. A machine may take its own name for
   * loopback although others do not: only where connections are not secured, and nobody may listen
   * any further, its word counts.
   */
  static String toBind(String host, Configuration configuration) {
    boolean secured = configuration.get(TlsOptions.INTERNAL_ENABLED);
    try {
      InetAddress address = InetAddress.getByName(host);
      boolean named = host.equals("localhost") || host.equals(address.getHostAddress());
      return address.isLoopbackAddress() && (named || !secured)
          ? address.getHostAddress()
          : EVERYWHERE;
    } catch (UnknownHostException e) {
      // It is another machine's, which knows itself.
      return EVERYWHERE;
    }
  }
}
