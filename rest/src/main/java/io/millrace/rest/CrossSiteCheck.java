package io.millrace.rest;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/**
 * Keeps web pages of others out. A browser on this machine reaches loopback for any page it shows,
 * so a request has to name us as its host (a page whose name was rebound to this address does not)
 * and must not come from another site.
 */
final class CrossSiteCheck {
  private final String address;

  /**
   * @param address the host name clients use besides loopback's own
   */
  CrossSiteCheck(String address) {
    this.address = address.toLowerCase(Locale.ROOT);
  }

  /** The headers that matter here; empty where the request has none. */
  record Headers(String host, String origin, String fetchSite, String fetchMode) {}

  /** Why a request is refused, if it is. */
  Optional<RestError> refusal(String method, Headers headers) {
    if (headers.host().isEmpty()) {
      return Optional.of(new RestError(400, "The request has no Host header."));
    }
    if (!isOurs(hostOf(headers.host()))) {
      return Optional.of(
          new RestError(
              403,
              "This server is not '"
                  + hostOf(headers.host())
                  + "'. Use 127.0.0.1, localhost or the host in rest.address."));
    }
    if (!headers.origin().isEmpty() && !isOwnOrigin(headers)) {
      return Optional.of(new RestError(403, "Requests from pages of other sites are refused."));
    }
    // Following a link to here is fine; loading something from here into another page is not.
    boolean followsLink = method.equals("GET") && headers.fetchMode().equals("navigate");
    if (headers.fetchSite().equals("cross-site") && !followsLink) {
      return Optional.of(new RestError(403, "Requests from pages of other sites are refused."));
    }
    return Optional.empty();
  }

  private static boolean isOwnOrigin(Headers headers) {
    try {
      String authority = URI.create(headers.origin()).getAuthority();
      return authority != null && authority.equalsIgnoreCase(headers.host());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private boolean isOurs(String host) {
    return host.equals("localhost")
        || host.equals("[::1]")
        || host.matches("127(\\.\\d{1,3}){3}")
        || host.equals(address);
  }

  private static String hostOf(String header) {
    String host = header.toLowerCase(Locale.ROOT);
    int colon = host.lastIndexOf(':');
    return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
  }
}
