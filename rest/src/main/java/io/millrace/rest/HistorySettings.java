package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HistoryOptions;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What a {@link HistoryServer} shows, and where.
 *
 * @param port 0 takes a free one
 * @param retained how many jobs stay in each directory; -1 for all
 * @param access to whom
 */
public record HistorySettings(
    List<FilePath> directories,
    int port,
    Duration refreshInterval,
    int retained,
    RestAuthenticator access) {
  public HistorySettings {
    directories = OrderedCopies.list(directories);
    Objects.requireNonNull(refreshInterval);
    Objects.requireNonNull(access);
    if (directories.isEmpty()) {
      throw wrong(
          HistoryOptions.SERVED_DIRS.key() + " names no directory with archives of ended jobs");
    }
    if (port < 0 || port > 65535) {
      throw wrong(HistoryOptions.WEB_PORT.key() + " is " + port + ", not between 0 and 65535");
    }
    if (refreshInterval.isNegative() || refreshInterval.isZero()) {
      throw wrong(HistoryOptions.REFRESH_INTERVAL.key() + " has to be longer than nothing");
    }
    if (retained < 1 && retained != -1) {
      throw wrong(
          HistoryOptions.RETAINED_JOBS.key()
              + " is "
              + retained
              + "; it is at least 1, or -1 for all jobs");
    }
  }

  public static HistorySettings of(Configuration configuration) {
    return new HistorySettings(
        configuration.get(HistoryOptions.SERVED_DIRS).stream().map(FilePath::parse).toList(),
        configuration.get(HistoryOptions.WEB_PORT),
        configuration.get(HistoryOptions.REFRESH_INTERVAL),
        configuration.get(HistoryOptions.RETAINED_JOBS),
        access(configuration));
  }

  /** It has no TLS, so that certificates cannot tell its users. */
  private static RestAuthenticator access(Configuration configuration) {
    boolean byCertificate =
        configuration
            .find(SecurityOptions.REST_AUTHENTICATION)
            .filter(RestAuthentication.MTLS::equals)
            .isPresent();
    return RestAuthenticator.of(
        byCertificate
            ? configuration.with(SecurityOptions.REST_AUTHENTICATION, RestAuthentication.PEER)
            : configuration,
        HistoryServer.LOOPBACK);
  }

  private static MillraceException wrong(String what) {
    return new MillraceException(ErrorKind.USER, what + ".");
  }
}
