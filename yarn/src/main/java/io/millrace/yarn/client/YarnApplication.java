package io.millrace.yarn.client;

import io.millrace.client.ClusterAddress;
import io.millrace.client.HostPort;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.UnreachableException;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.reason.ApplicationStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster as an application of YARN. Thread-safe. */
final class YarnApplication {
  private static final Logger LOG = LoggerFactory.getLogger(YarnApplication.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(5);
  private static final Pattern JOB_MANAGER_URL = Pattern.compile("https?://[^/]+/?");
  private static final String HTTPS = "https://";

  private final YarnResourceManagerClient yarn;
  private final ApplicationId id;
  private final StagingDirectory staging;
  private final RestTokenStore tokens;

  /** The latest report of YARN. */
  private volatile ApplicationReport report;

  private boolean filesRemoved;

  YarnApplication(
      YarnResourceManagerClient yarn,
      ApplicationId id,
      StagingDirectory staging,
      RestTokenStore tokens,
      ApplicationReport report) {
    this.yarn = yarn;
    this.id = id;
    this.staging = staging;
    this.tokens = tokens;
    this.report = report;
  }

  String id() {
    return id.toString();
  }

  /** The latest report of YARN. */
  ApplicationReport report() {
    return report;
  }

  /** Asks YARN for a new report. */
  ApplicationReport refresh() {
    PluginContext.run(
        () ->
            report =
                yarn.report(id)
                    .orElseThrow(
                        () ->
                            new MillraceException(
                                ErrorKind.EXTERNAL, "YARN no longer knows application " + id)));
    return report;
  }

  /** The REST address of the JobManager in the latest report. It may have moved since. */
  ClusterAddress address() {
    String page =
        page(report)
            .orElseThrow(
                () ->
                    new UnreachableException(
                        "YARN does not know the address of the JobManager of application "
                            + id
                            + " (the application is "
                            + report.getYarnApplicationState()
                            + ").",
                        null));
    if (tokens.tls().isEmpty() && page.startsWith(HTTPS)) {
      // The token would be sent without encryption.
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
        tokens.find(id.toString()).or(() -> PluginContext.call(staging::token)),
        tokens.tls());
  }

  /**
   * The address that a JobManager registers has no path. After its end YARN reports the address of
   * its own page or of the history server, which must not receive the token.
   */
  private static Optional<String> page(ApplicationReport report) {
    return Optional.ofNullable(report.getOriginalTrackingUrl())
        .filter(url -> !isOver(report))
        .filter(url -> JOB_MANAGER_URL.matcher(url).matches());
  }

  /** The outcome, if the application has ended; its files are removed then. */
  Optional<Outcome> ended() {
    return end(refresh());
  }

  /** The outcome in the latest report. */
  Optional<Outcome> end() {
    return end(report);
  }

  private Optional<Outcome> end(ApplicationReport report) {
    if (!isOver(report)) {
      return Optional.empty();
    }
    removeFiles();
    ApplicationStatus status = status(report);
    String diagnostics = ApplicationDiagnostics.of(report);
    return Optional.of(
        new Outcome(
            status,
            diagnostics.isEmpty() && status != ApplicationStatus.SUCCEEDED
                ? "YARN gives no reason; see yarn logs -applicationId " + id
                : diagnostics));
  }

  /** Who has killed the application through YARN; empty if it ended in another way. */
  Optional<String> killed() {
    return Optional.of(report)
        .filter(last -> last.getYarnApplicationState() == YarnApplicationState.KILLED)
        .map(
            last -> {
              String diagnostics = ApplicationDiagnostics.of(last);
              return "Application "
                  + id
                  + " was killed through YARN"
                  + (diagnostics.isEmpty() ? "" : ": " + diagnostics);
            });
  }

  static boolean isOver(ApplicationReport report) {
    YarnApplicationState state = report.getYarnApplicationState();
    return state == YarnApplicationState.FINISHED
        || state == YarnApplicationState.FAILED
        || state == YarnApplicationState.KILLED;
  }

  private static ApplicationStatus status(ApplicationReport report) {
    return switch (report.getFinalApplicationStatus()) {
      case SUCCEEDED -> ApplicationStatus.SUCCEEDED;
      case FAILED -> ApplicationStatus.FAILED;
      case KILLED -> ApplicationStatus.CANCELED;
      default -> ApplicationStatus.UNKNOWN;
    };
  }

  /** Waits for the end; empty if it does not come in this time. */
  Optional<Outcome> awaitEnd(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      Optional<Outcome> ended = ended();
      if (ended.isPresent() || System.nanoTime() - deadline > 0) {
        return ended;
      }
      ApplicationStartMonitor.pause(POLL_INTERVAL);
    }
  }

  /** Kills the application and waits for its end for a short time, to remove its files. */
  void kill(String why) {
    PluginContext.run(() -> yarn.kill(id, why));
    awaitEnd(KILL_TIMEOUT);
  }

  /** A JobManager removes its files at its end, unless it was killed. */
  private synchronized void removeFiles() {
    if (filesRemoved) {
      return;
    }
    filesRemoved = true;
    tokens.forget(id.toString());
    PluginContext.run(
        () -> {
          try {
            staging.remove();
          } catch (IOException e) {
            LOG.warn("{} was left behind", staging.directory(), e);
          }
        });
  }

  /** The command that shows the logs. */
  String logs() {
    return "Its logs: yarn logs -applicationId " + id;
  }
}
