package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;

/** Follows an application until its JobManager runs, and says why where that takes long. */
final class ApplicationStartMonitor {
  private static final Duration FAST_POLL = Duration.ofMillis(100);
  private static final Duration SLOW_POLL = Duration.ofMillis(500);
  private static final Duration FAST_POLL_TIME = Duration.ofSeconds(4);
  private static final Duration REPORT_AGAIN = Duration.ofSeconds(30);

  private final YarnResourceManagerClient yarn;
  private final Progress progress;
  private final ApplicationRequirements requirements;

  /** How long YARN may be silent. */
  private final Duration silence;

  ApplicationStartMonitor(
      YarnResourceManagerClient yarn,
      Progress progress,
      ApplicationRequirements requirements,
      Duration silence) {
    this.yarn = yarn;
    this.progress = progress;
    this.requirements = requirements;
    this.silence = silence;
  }

  /** The report of an application that runs, or has run and ended well. */
  ApplicationReport untilRunning(ApplicationId id) {
    long since = System.nanoTime();
    Optional<YarnApplicationState> before = Optional.empty();
    String lastReason = "";
    long reportedAt = since;
    while (true) {
      ApplicationReport report = report(id);
      YarnApplicationState state = report.getYarnApplicationState();
      switch (state) {
        case RUNNING, FINISHED -> {
          return report;
        }
        case FAILED, KILLED -> throw ended(report);
        default -> {
          if (state == YarnApplicationState.ACCEPTED && before.isEmpty()) {
            progress.update("Application " + id + " is accepted; waiting for its JobManager");
            before = Optional.of(state);
          }
        }
      }
      long waited = System.nanoTime() - since;
      if (waited > FAST_POLL_TIME.toNanos()) {
        String why = why(report);
        boolean again = System.nanoTime() - reportedAt > REPORT_AGAIN.toNanos();
        if (!why.equals(lastReason) || again) {
          progress.report(
              "Application "
                  + id
                  + " is "
                  + state
                  + " for "
                  + Duration.ofNanos(waited).toSeconds()
                  + " s"
                  + why);
          lastReason = why;
          reportedAt = System.nanoTime();
        }
      }
      pause(waited > FAST_POLL_TIME.toNanos() ? SLOW_POLL : FAST_POLL);
    }
  }

  private ApplicationReport report(ApplicationId id) {
    long since = System.nanoTime();
    while (true) {
      try {
        return yarn.report(id)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "YARN no longer knows application " + id + ": was it started anew?"));
      } catch (UnreachableException e) {
        if (System.nanoTime() - since > silence.toNanos()) {
          throw e;
        }
        progress.update("YARN's ResourceManager does not answer; asking again");
        pause(SLOW_POLL);
      }
    }
  }

  /** What is known about why the container does not come; stays the same while nothing changes. */
  private String why(ApplicationReport report) {
    StringBuilder why = new StringBuilder();
    why.append(", waiting for its JobManager's container of ").append(requirements.master());
    yarn.queue(report.getQueue())
        .ifPresent(
            queue ->
                why.append(
                    String.format(
                        Locale.ROOT,
                        ". Queue '%s' uses %.0f %% of its capacity, which is %.0f %% of the cluster"
                            + " and %.0f %% at most",
                        queue.name(),
                        100 * queue.used(),
                        100 * queue.capacity(),
                        100 * queue.maximum())));
    String said = ApplicationDiagnostics.of(report);
    if (!said.isEmpty()) {
      why.append(". YARN says: ").append(said);
    }
    return why.toString();
  }

  static MillraceException ended(ApplicationReport report) {
    ApplicationId id = report.getApplicationId();
    String said = ApplicationDiagnostics.of(report);
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "Application "
            + id
            + " is "
            + report.getYarnApplicationState()
            + (said.isEmpty()
                ? ""
                : ". YARN says: "
                    + (said.endsWith(".") ? said.substring(0, said.length() - 1) : said))
            + ". Its logs: yarn logs -applicationId "
            + id);
  }

  static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.USER, "Interrupted while waiting for YARN.", e);
    }
  }
}
