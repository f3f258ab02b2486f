package io.millrace.yarn.client;

import io.millrace.client.ClusterAddress;
import io.millrace.client.Progress;
import io.millrace.client.RestClusterClient;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.Session;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
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
        report.getUser(),
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
  public Outcome stop(Progress progress, Predicate<String> mayKill) {
    try (RestClusterClient rest = application.address().connect(timeout)) {
      rest.shutDownCluster();
      progress.update("Waiting for the session to end");
    } catch (MillraceException e) {
      Optional<Outcome> end = application.ended();
      if (end.isPresent()) {
        return over(end.get());
      }
      if (!isSilent(e)) {
        throw refused(e);
      }
      LOG.info("The JobManager of {} does not answer", application.id(), e);
      return kill(progress, mayKill, "does not answer");
    }
    return application
        .awaitEnd(END_TIMEOUT)
        .map(this::over)
        .orElseGet(
            () ->
                kill(
                    progress,
                    mayKill,
                    "was asked to end and still runs after " + END_TIMEOUT.toSeconds() + " s"));
  }

  /**
   * Whether the JobManager is not there: nothing listens at its address, it does not answer in
   * time, or YARN has not started it yet. Any other error is an answer, such as that of a cluster
   * of another user.
   */
  private static boolean isSilent(MillraceException failure) {
    Throwable cause = failure.getCause();
    return failure instanceof UnreachableException
        && (cause == null
            || cause instanceof ConnectException
            || cause instanceof NoRouteToHostException
            || cause instanceof SocketTimeoutException);
  }

  private MillraceException refused(MillraceException answer) {
    return isOwn()
        ? answer
        : new MillraceException(
            answer.kind(),
            "Session "
                + application.id()
                + " belongs to user "
                + user()
                + " and was not stopped: "
                + answer.getMessage(),
            answer);
  }

  private Outcome kill(Progress progress, Predicate<String> mayKill, String why) {
    String silent = "The JobManager of session " + application.id() + " " + why + ".";
    if (!isOwn()) {
      throw new MillraceException(
          ErrorKind.USER,
          silent
              + " The session belongs to user "
              + user()
              + ", who can kill it with: millrace session stop --force "
              + application.id());
    }
    if (!mayKill.test(silent)) {
      throw new MillraceException(
          ErrorKind.USER,
          silent
              + " It was not stopped. Kill it with: millrace session stop --force "
              + application.id());
    }
    progress.report(silent + " YARN kills it");
    application.kill("Stopped by its user; the JobManager " + why + ".");
    return over(
        application
            .awaitEnd(END_TIMEOUT)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "YARN was asked to kill "
                            + application.id()
                            + ", but it has not ended after "
                            + END_TIMEOUT.toSeconds()
                            + " s. See: yarn application -status "
                            + application.id())));
  }

  private Outcome over(Outcome end) {
    file.forget(application.id());
    return end;
  }

  private String user() {
    return application.report().getUser();
  }

  private boolean isOwn() {
    return user().equals(HadoopContext.userName());
  }
}
