package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.BindPorts;
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
 * The settings of a {@link HistoryServer}.
 *
 * @param ports the server binds one of them
 * @param retained how many jobs are kept in each directory; -1 for all
 * @param access which clients may read
 */
public record HistorySettings(
    List<FilePath> directories,
    BindPorts ports,
    Duration refreshInterval,
    int retained,
    RestAuthenticator access) {
  public HistorySettings {
    directories = OrderedCopies.list(directories);
    Objects.requireNonNull(ports);
    Objects.requireNonNull(refreshInterval);
    Objects.requireNonNull(access);
    if (directories.isEmpty()) {
      throw invalid(
          HistoryOptions.SERVED_DIRS.key() + " names no directory with archives of ended jobs");
    }
    if (refreshInterval.isNegative() || refreshInterval.isZero()) {
      throw invalid(HistoryOptions.REFRESH_INTERVAL.key() + " must be longer than 0");
    }
    if (retained < 1 && retained != -1) {
      throw invalid(
          HistoryOptions.RETAINED_JOBS.key()
              + " is "
              + retained
              + "; it must be at least 1, or -1 for all jobs");
    }
  }

  public static HistorySettings of(Configuration configuration) {
    return new HistorySettings(
        configuration.get(HistoryOptions.SERVED_DIRS).stream().map(FilePath::parse).toList(),
        BindPorts.of(configuration, HistoryOptions.WEB_PORT),
        configuration.get(HistoryOptions.REFRESH_INTERVAL),
        configuration.get(HistoryOptions.RETAINED_JOBS),
        access(configuration));
  }

  /** The history server has no TLS, so it cannot authenticate clients by certificate. */
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

  private static MillraceException invalid(String what) {
    return new MillraceException(ErrorKind.USER, what + ".");
  }
}
