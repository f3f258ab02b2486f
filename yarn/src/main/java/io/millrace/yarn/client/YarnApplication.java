package io.millrace.yarn.client;

import io.millrace.client.ClusterAddress;
import io.millrace.client.HostPort;
import io.millrace.client.RunningProgram.End;
import io.millrace.client.UnreachableException;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.ApplicationStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An application of YARN that is a cluster. Any number of threads may call. */
final class YarnApplication {
  private static final Logger LOG = LoggerFactory.getLogger(YarnApplication.class);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration KILLING = Duration.ofSeconds(5);
  private static final Pattern REGISTERED = Pattern.compile("https?://[^/]+/?");
  private static final String HTTPS = "https://";

  private final Yarn yarn;
  private final ApplicationId id;
  private final Staging staging;
  private final LocalTokens tokens;

  /** The newest. */
  private volatile ApplicationReport report;

  private boolean tidied;

  YarnApplication(
      Yarn yarn, ApplicationId id, Staging staging, LocalTokens tokens, ApplicationReport report) {
    this.yarn = yarn;
    this.id = id;
    this.staging = staging;
    this.tokens = tokens;
    this.report = report;
  }

  String id() {
    return id.toString();
  }

  /** As YARN told last. */
  ApplicationReport report() {
    return report;
  }

  /** Asks YARN, which may not answer at the moment. */
  ApplicationReport asked() {
    Plugin.run(
        () ->
            report =
                yarn.report(id)
                    .orElseThrow(
                        () ->
                            new MillraceException(
                                ErrorKind.EXTERNAL, "YARN no longer knows application " + id)));
    return report;
  }

  /** Where its JobManager serves REST, as YARN told last; it may have moved since. */
  ClusterAddress address() {
    String page =
        page(report)
            .orElseThrow(
                () ->
                    new UnreachableException(
                        "YARN does not say where the JobManager of application "
                            + id
                            + " is (the application is "
                            + report.getYarnApplicationState()
                            + ").",
                        null));
    if (tokens.tls().isEmpty() && page.startsWith(HTTPS)) {
      // Or the token would go there for everybody to read.
      throw new MillraceException(
          ErrorKind.USER,
          "The JobManager of application "
              + id
              + " serves over TLS. Set "
              + RestTlsOptions.ENABLED.key()
              + " to true, and "
              + RestTlsOptions.TRUSTSTORE.key()
              + " to a file with its certificate.");
    }
    return new ClusterAddress(
        HostPort.parse(page.replaceFirst("^https?://", "").replaceFirst("/$", "")),
        tokens.find(id.toString()).or(() -> Plugin.call(staging::token)),
        tokens.tls());
  }

  /**
   * The address that a JobManager registers has no path. When it is gone, YARN has its own page
   * there, which must not be taken for it, nor see its token.
   */
  private static Optional<String> page(ApplicationReport report) {
    return Optional.ofNullable(report.getOriginalTrackingUrl())
        .filter(url -> REGISTERED.matcher(url).matches());
  }

  /** How it ended, if it has; what it left behind is removed then. */
  Optional<End> ended() {
    return end(asked());
  }

  /** How it ended, as YARN told last. */
  Optional<End> end() {
    return end(report);
  }

  private Optional<End> end(ApplicationReport told) {
    if (!isOver(told)) {
      return Optional.empty();
    }
    tidy();
    return Optional.of(new End(status(told), Diagnostics.of(told)));
  }

  static boolean isOver(ApplicationReport told) {
    YarnApplicationState state = told.getYarnApplicationState();
    return state == YarnApplicationState.FINISHED
        || state == YarnApplicationState.FAILED
        || state == YarnApplicationState.KILLED;
  }

  private static ApplicationStatus status(ApplicationReport told) {
    return switch (told.getFinalApplicationStatus()) {
      case SUCCEEDED -> ApplicationStatus.SUCCEEDED;
      case FAILED -> ApplicationStatus.FAILED;
      case KILLED -> ApplicationStatus.CANCELED;
      default -> ApplicationStatus.UNKNOWN;
    };
  }

  /** Waits for its end; nothing where it has not come in this time. */
  Optional<End> awaitEnd(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      Optional<End> ended = ended();
      if (ended.isPresent() || System.nanoTime() - deadline > 0) {
        return ended;
      }
      Waiting.pause(PAUSE);
    }
  }

  /** Waits for its end, too, if not for long: nobody else removes its files. */
  void kill(String why) {
    Plugin.run(() -> yarn.kill(id, why));
    awaitEnd(KILLING);
  }

  /** A JobManager removes its files at its end; one that was killed could not. */
  private synchronized void tidy() {
    if (tidied) {
      return;
    }
    tidied = true;
    tokens.forget(id.toString());
    Plugin.run(
        () -> {
          try {
            staging.remove();
          } catch (IOException e) {
            LOG.warn("{} was left behind", staging.directory(), e);
          }
        });
  }

  /** The lines that lead to what it wrote. */
  String logs() {
    return "Its logs: yarn logs -applicationId " + id;
  }
}
