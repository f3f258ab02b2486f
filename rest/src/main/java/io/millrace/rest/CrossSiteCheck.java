package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Rejects requests from pages of other web sites. A browser on this machine can reach loopback for
 * any page it shows. So a request must have a host name of this server (a page whose name was
 * rebound to this address has another one), and must not come from another site.
 */
final class CrossSiteCheck {
  private final String address;
  private final List<String> allowedOrigins;

  /**
   * @param address the host name that clients use besides those of loopback
   * @param allowedOrigins the origins of other sites whose pages may send requests, in lower case
   */
  CrossSiteCheck(String address, List<String> allowedOrigins) {
    this.address = address.toLowerCase(Locale.ROOT);
    this.allowedOrigins = OrderedCopies.list(allowedOrigins);
  }

  /** The headers that are checked; empty if the request has none. */
  record Headers(String host, String origin, String fetchSite, String fetchMode) {}

  /** Why a request is rejected, or empty if it is accepted. */
  Optional<RestError> refusal(String method, Headers headers) {
    if (headers.host().isEmpty()) {
      return Optional.of(new RestError(400, "The request has no Host header."));
    }
    if (!isOwnHost(hostOf(headers.host()))) {
      return Optional.of(
          new RestError(
              403,
              "This server is not '"
                  + hostOf(headers.host())
                  + "'. Use 127.0.0.1, localhost or the host in rest.address."));
    }
    if (isAllowedOrigin(headers.origin())) {
      return Optional.empty();
    }
    if (!headers.origin().isEmpty() && !isOwnOrigin(headers)) {
      return Optional.of(new RestError(403, "Requests from pages of other sites are refused."));
    }
    // A link from another site may lead here, but another site may not load a resource from here.
    boolean navigates = method.equals("GET") && headers.fetchMode().equals("navigate");
    if (headers.fetchSite().equals("cross-site") && !navigates) {
      return Optional.of(new RestError(403, "Requests from pages of other sites are refused."));
    }
    return Optional.empty();
  }

  /** Whether pages of another site with this origin may send requests. */
  boolean isAllowedOrigin(String origin) {
    return allowedOrigins.contains(origin.toLowerCase(Locale.ROOT));
  }

  private static boolean isOwnOrigin(Headers headers) {
    try {
      String authority = URI.create(headers.origin()).getAuthority();
      return authority != null && authority.equalsIgnoreCase(headers.host());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private boolean isOwnHost(String host) {
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
