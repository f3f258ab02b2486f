package io.millrace.yarn.client;

import io.millrace.client.ClusterAddress;
import io.millrace.client.Progress;
import io.millrace.client.RestClusterClient;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.Session;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session on YARN. */
final class YarnSession implements Session {
  private static final Logger LOG = LoggerFactory.getLogger(YarnSession.class);
  private static final Duration END_TIMEOUT = Duration.ofSeconds(20);

  private final YarnApplication application;
  private final YarnSessionFile file;
  private final Duration timeout;

  YarnSession(YarnApplication application, YarnSessionFile file, Duration timeout) {
    this.application = application;
    this.file = file;
    this.timeout = timeout;
  }

  @Override
  public Info info() {
    ApplicationReport report = application.report();
    return new Info(
        application.id(),
        report.getName(),
        report.getYarnApplicationState().name(),
        report.getQueue(),
        report.getStartTime());
  }

  @Override
  public ClusterAddress address() {
    return application.address();
  }

  @Override
  public Optional<Outcome> ended() {
    Optional<Outcome> end = application.ended();
    if (end.isPresent()) {
      file.forget(application.id());
    }
    return end;
  }

  @Override
  public Outcome stop(Progress progress) {
    try (RestClusterClient rest = application.address().connect(timeout)) {
      rest.shutDownCluster();
      progress.update("Waiting for the session to end");
    } catch (MillraceException e) {
      LOG.info("The JobManager of {} does not end by itself", application.id(), e);
      progress.report("Its JobManager does not answer; YARN is asked to kill it");
      application.kill("Stopped by its user.");
    }
    Optional<Outcome> end = application.awaitEnd(END_TIMEOUT);
    if (end.isEmpty()) {
      application.kill("Stopped by its user, and did not end in time.");
      end = application.awaitEnd(END_TIMEOUT);
    }
    file.forget(application.id());
    return end.orElseThrow(
        () ->
            new MillraceException(
                ErrorKind.EXTERNAL,
                "YARN was asked to kill "
                    + application.id()
                    + ", but it has not ended after "
                    + END_TIMEOUT.toSeconds()
                    + " s. See: yarn application -status "
                    + application.id()));
  }
}
