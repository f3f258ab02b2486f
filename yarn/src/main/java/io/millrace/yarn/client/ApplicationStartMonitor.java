package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Locale;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;

/** Waits until the JobManager of an application runs, and reports why if that takes long. */
final class ApplicationStartMonitor {
  private static final Duration FAST_POLL = Duration.ofMillis(100);
  private static final Duration SLOW_POLL = Duration.ofMillis(500);
  private static final Duration FAST_POLL_TIME = Duration.ofSeconds(4);
  private static final Duration REPORT_INTERVAL = Duration.ofSeconds(30);

  private final YarnResourceManagerClient yarn;
  private final Progress progress;
  private final ApplicationRequirements requirements;

  /** How long YARN may be unreachable. */
  private final Duration timeout;

  ApplicationStartMonitor(
      YarnResourceManagerClient yarn,
      Progress progress,
      ApplicationRequirements requirements,
      Duration timeout) {
    this.yarn = yarn;
    this.progress = progress;
    this.requirements = requirements;
    this.timeout = timeout;
  }

  /** Returns the report of an application that runs or has finished. */
  ApplicationReport untilRunning(ApplicationId id) {
    long since = System.nanoTime();
    boolean accepted = false;
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
          if (state == YarnApplicationState.ACCEPTED && !accepted) {
            progress.update("Application " + id + " is accepted; waiting for its JobManager");
            accepted = true;
          }
        }
      }
      long waited = System.nanoTime() - since;
      if (waited > FAST_POLL_TIME.toNanos()) {
        String why = why(report);
        boolean again = System.nanoTime() - reportedAt > REPORT_INTERVAL.toNanos();
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
                        "YARN no longer knows application " + id + ". Was YARN reinstalled?"));
      } catch (UnreachableException e) {
        if (System.nanoTime() - since > timeout.toNanos()) {
          throw e;
        }
        progress.update("YARN's ResourceManager does not answer; trying again");
        pause(SLOW_POLL);
      }
    }
  }

  /** Why the container is pending. The text is the same while nothing changes. */
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
    String diagnostics = ApplicationDiagnostics.of(report);
    if (!diagnostics.isEmpty()) {
      why.append(". YARN says: ").append(diagnostics);
    }
    return why.toString();
  }

  static MillraceException ended(ApplicationReport report) {
    ApplicationId id = report.getApplicationId();
    String diagnostics = ApplicationDiagnostics.of(report);
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "Application "
            + id
            + " is "
            + report.getYarnApplicationState()
            + (diagnostics.isEmpty()
                ? ""
                : ". YARN says: " + ApplicationDiagnostics.withoutFullStop(diagnostics))
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
