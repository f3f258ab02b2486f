package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Optional;
import java.util.OptionalInt;

/** The host and port of a REST server. */
public record HostPort(String host, int port) {
  public HostPort {
    if (host.isEmpty() || port < 1 || port > 65535) {
      throw new IllegalArgumentException(
          "Not a host and a port from 1 to 65535: " + host + ":" + port);
    }
  }

  /**
   * Parses {@code host:port}, the form of {@code -m}; an IPv6 host is in brackets. Also accepts the
   * URL that a browser shows.
   */
  public static HostPort parse(String address) {
    String text = address.replaceFirst("^https?://", "").replaceFirst("/$", "");
    int colon = text.lastIndexOf(':');
    try {
      String host = text.substring(0, Math.max(colon, 0));
      boolean bracketed = host.startsWith("[") && host.endsWith("]");
      if (!bracketed && host.indexOf(':') >= 0) {
        throw new IllegalArgumentException("more than one colon");
      }
      return new HostPort(
          bracketed ? host.substring(1, host.length() - 1) : host,
          Integer.parseInt(text.substring(colon + 1)));
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + address
              + "' is not the address of a JobManager. Give its REST host and port, such as"
              + " 127.0.0.1:8081.",
          e);
    }
  }

  /** The address in the configuration of a client. */
  public static HostPort of(Configuration configuration) {
    String host = configuration.get(RestOptions.ADDRESS);
    PortRange ports = configuration.get(RestOptions.PORT);
    int port =
        ports
            .single()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER,
                        "rest.port is "
                            + ports
                            + ", so the JobManager listens at a port that this configuration does"
                            + " not name. Give its REST address with -m host:port."));
    return new HostPort(host, port);
  }

  /** The address in the configuration of a client; empty if it does not name one port. */
  static Optional<HostPort> find(Configuration configuration) {
    OptionalInt port = configuration.get(RestOptions.PORT).single();
    return port.isPresent()
        ? Optional.of(new HostPort(configuration.get(RestOptions.ADDRESS), port.getAsInt()))
        : Optional.empty();
  }

  /** The configuration of a client of this server. */
  public Configuration in(Configuration configuration) {
    return configuration.with(RestOptions.ADDRESS, host).with(RestOptions.PORT, port);
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
