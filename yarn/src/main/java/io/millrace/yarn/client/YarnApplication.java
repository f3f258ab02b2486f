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

/** An application of YARN that is a cluster. Any number of threads may call. */
final class YarnApplication {
  private static final Logger LOG = LoggerFactory.getLogger(YarnApplication.class);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration KILLING = Duration.ofSeconds(5);
  private static final Pattern REGISTERED = Pattern.compile("https?://[^/]+/?");
  private static final String HTTPS = "https://";

  private final YarnResourceManagerClient yarn;
  private final ApplicationId id;
  private final StagingDirectory staging;
  private final RestTokenStore tokens;

  /** The newest. */
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

  /** As YARN told last. */
  ApplicationReport report() {
    return report;
  }

  /** Asks YARN, which may not answer at the moment. */
  ApplicationReport asked() {
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
        tokens.find(id.toString()).or(() -> PluginContext.call(staging::token)),
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
  Optional<Outcome> ended() {
    return end(asked());
  }

  /** How it ended, as YARN told last. */
  Optional<Outcome> end() {
    return end(report);
  }

  private Optional<Outcome> end(ApplicationReport report) {
    if (!isOver(report)) {
      return Optional.empty();
    }
    removeFiles();
    return Optional.of(new Outcome(status(report), ApplicationDiagnostics.of(report)));
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

  /** Waits for its end; nothing where it has not come in this time. */
  Optional<Outcome> awaitEnd(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      Optional<Outcome> ended = ended();
      if (ended.isPresent() || System.nanoTime() - deadline > 0) {
        return ended;
      }
      ApplicationStartMonitor.pause(PAUSE);
    }
  }

  /** Waits for its end, too, if not for long: nobody else removes its files. */
  void kill(String why) {
    PluginContext.run(() -> yarn.kill(id, why));
    awaitEnd(KILLING);
  }

  /** A JobManager removes its files at its end; one that was killed could not. */
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

  /** The lines that lead to what it wrote. */
  String logs() {
    return "Its logs: yarn logs -applicationId " + id;
  }
}
