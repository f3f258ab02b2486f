package io.millrace.yarn.master;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** The addresses at which processes listen. */
final class BindAddresses {
  private static final String EVERYWHERE = "0.0.0.0";

  private BindAddresses() {}

  /**
   * The address at which to listen so that other machines reach the process by this host name. A
   * machine may resolve its own name to loopback although others do not. Such a result is used only
   * without encryption, where a process must not listen on other interfaces.
   */
  static String toBind(String host, Configuration configuration) {
    boolean secured = configuration.get(TlsOptions.INTERNAL_ENABLED);
    try {
      InetAddress address = InetAddress.getByName(host);
      boolean explicit = host.equals("localhost") || host.equals(address.getHostAddress());
      return address.isLoopbackAddress() && (explicit || !secured)
          ? address.getHostAddress()
          : EVERYWHERE;
    } catch (UnknownHostException e) {
      // The name of another machine, which can resolve it.
      return EVERYWHERE;
    }
  }
}
