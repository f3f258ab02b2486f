package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.protocol.reason.ApplicationStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of an application: YARN hears how it went, and its files go. Takes only so long: where
 * YARN has vanished, too, its library would keep trying for many minutes.
 */
final class ApplicationUnregistration {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationUnregistration.class);

  /** Less than a process waits for a service that stops. */
  private static final Duration BOUND = Duration.ofSeconds(4);

  private static final int LONGEST = 8_000;

  private final ApplicationMasterContext yarn;

  ApplicationUnregistration(ApplicationMasterContext yarn) {
    this.yarn = yarn;
  }

  /** Completes when all is done, or it has taken too long; never fails. */
  CompletableFuture<Void> unregister(AmRmClient link, DriverTermination.Over over) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              reportStatus(link, over);
              removeStaging();
              done.complete(null);
            },
            "yarn-unregister");
    thread.setDaemon(true);
    thread.start();
    return done.orTimeout(BOUND.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(
            late -> {
              LOG.warn("YARN did not confirm within {} that the application is over", BOUND);
              return null;
            });
  }

  private static void reportStatus(AmRmClient link, DriverTermination.Over over) {
    FinalApplicationStatus status = status(over.status());
    try {
      link.unregister(status, cut(over.diagnostics()));
      LOG.info("YARN knows that the application is over: {}", status);
    } catch (YarnException | IOException | RuntimeException e) {
      LOG.warn("YARN could not be told that the application is over ({})", status, e);
    }
  }

  static FinalApplicationStatus status(ApplicationStatus status) {
    return switch (status) {
      case SUCCEEDED -> FinalApplicationStatus.SUCCEEDED;
      case FAILED, UNKNOWN -> FinalApplicationStatus.FAILED;
      case CANCELED -> FinalApplicationStatus.KILLED;
    };
  }

  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }

  /** Also where YARN has not heard of the end: what it started then would run everything anew. */
  private void removeStaging() {
    try {
      yarn.removeStaging();
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} is left behind", yarn.staging().orElseThrow(), e);
    }
  }
}
