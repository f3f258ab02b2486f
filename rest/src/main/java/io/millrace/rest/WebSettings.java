package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * What web pages may do.
 *
 * @param refreshInterval how often a dashboard reads again
 * @param allowedOrigins the origins of other sites whose pages may send requests, in lower case
 */
record WebSettings(Duration refreshInterval, List<String> allowedOrigins) {
  /** For servers without configuration: no page of another site. */
  static final WebSettings DEFAULT = of(Configuration.EMPTY);

  WebSettings {
    Objects.requireNonNull(refreshInterval);
    allowedOrigins = OrderedCopies.list(allowedOrigins);
  }

  static WebSettings of(Configuration configuration) {
    return new WebSettings(
        configuration.get(RestOptions.REFRESH_INTERVAL),
        configuration.get(RestOptions.ALLOWED_ORIGINS).stream()
            .map(origin -> origin.toLowerCase(Locale.ROOT))
            .map(WebSettings::checked)
            .toList());
  }

  private static String checked(String origin) {
    try {
      URI uri = URI.create(origin);
      if (List.of("http", "https").contains(String.valueOf(uri.getScheme()))
          && uri.getRawAuthority() != null
          && origin.equals(uri.getScheme() + "://" + uri.getRawAuthority())) {
        return origin;
      }
    } catch (IllegalArgumentException e) {
      throw notAnOrigin(origin, e);
    }
    throw notAnOrigin(origin, null);
  }

  private static MillraceException notAnOrigin(String origin, Exception cause) {
    return new MillraceException(
        ErrorKind.USER,
        RestOptions.ALLOWED_ORIGINS.key()
            + " has '"
            + origin
            + "', which is not the origin of a site. Name each site whose pages may use the cluster,"
            + " such as https://dashboard.example.com: with '*' any page that a user visits could.",
        cause);
  }
}
