package io.millrace.rest;

import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Resolves the hosts of an option to their addresses. */
final class KnownAddresses {
  private KnownAddresses() {}

  static List<String> of(List<String> hosts) {
    List<String> addresses = new ArrayList<>();
    for (String host : hosts) {
      try {
        for (InetAddress address : InetAddress.getAllByName(host)) {
          addresses.add(address.getHostAddress());
        }
      } catch (UnknownHostException e) {
        throw new MillraceException(
            ErrorKind.USER,
            "There is no host '"
                + host
                + "' ("
                + SecurityOptions.REST_READ_ONLY_HOSTS.key()
                + "). Correct or remove it.",
            e);
      }
    }
    return addresses;
  }
}
