package io.millrace.yarn.client;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.ClusterAddress;
import io.millrace.client.ClusterClient;
import io.millrace.client.RestClusterClient;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of a cluster on YARN. It uses REST while the JobManager answers, and YARN otherwise:
 * the JobManager may have moved to another node, or may have ended with its job before the client
 * asked for the result.
 */
final class YarnClusterClient implements ClusterClient {
  private static final Logger LOG = LoggerFactory.getLogger(YarnClusterClient.class);
  private static final Duration END_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration ACCEPT_POLL_INTERVAL = Duration.ofMillis(50);

  private final YarnApplication application;
  private final Duration timeout;
  private final Runnable disconnect;

  YarnClusterClient(YarnApplication application, Duration timeout) {
    this(application, timeout, () -> {});
  }

  /**
   * @param disconnect closes the connection to YARN
   */
  YarnClusterClient(YarnApplication application, Duration timeout, Runnable disconnect) {
    this.application = application;
    this.timeout = timeout;
    this.disconnect = disconnect;
  }

  YarnApplication application() {
    return application;
  }

  private <T> T ask(Function<RestClusterClient, T> question) {
    try {
      return question.apply(rest());
    } catch (UnreachableException e) {
      // This also updates the address for the next call.
      Optional<Outcome> end = application.ended();
      if (end.isPresent()) {
        throw new Ended(application, end.get());
      }
      throw e;
    }
  }

  /**
   * Waits until a per-job cluster has read its job. Before that it answers that it does not know
   * the job.
   */
  void awaitAccepted(JobId job) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!isAccepted(job)) {
      if (System.nanoTime() - deadline > 0) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "The JobManager of application "
                + application.id()
                + " runs, but has not begun its job for "
                + timeout.toSeconds()
                + " s. "
                + application.logs());
      }
      ApplicationStartMonitor.pause(ACCEPT_POLL_INTERVAL);
    }
  }

  private boolean isAccepted(JobId job) {
    try {
      return ask(rest -> rest.job(job)).isPresent();
    } catch (Ended e) {
      // The call for the result reports the outcome.
      return true;
    } catch (UnreachableException e) {
      LOG.info("{} does not answer yet: {}", application.id(), e.getMessage());
      return false;
    }
  }

  private RestClusterClient rest() {
    ClusterAddress address = application.address();
    return address.connect(timeout);
  }

  /** The application is over. */
  private static final class Ended extends MillraceException {
    private static final long serialVersionUID = 1L;

    private final transient Outcome end;

    Ended(YarnApplication application, Outcome end) {
      super(
          ErrorKind.EXTERNAL,
          "Application "
              + application.id()
              + " has ended ("
              + end.status()
              + ")"
              + (end.diagnostics().isEmpty() ? "" : ": " + end.diagnostics())
              + ". "
              + application.logs());
      this.end = end;
    }
  }

  @Override
  public String address() {
    return application.id();
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    ask(
        rest -> {
          rest.submit(graph, jars);
          return graph;
        });
  }

  @Override
  public List<JobOverview> jobs() {
    try {
      return ask(RestClusterClient::jobs);
    } catch (Ended e) {
      return List.of();
    }
  }

  @Override
  public Optional<JobResult> awaitResult(JobId job, Duration patience) {
    try {
      return ask(rest -> rest.awaitResult(job, patience));
    } catch (Ended e) {
      return Optional.of(result(job, e));
    }
  }

  private JobResult result(JobId job, Ended ended) {
    long ran =
        Math.max(0, application.report().getFinishTime() - application.report().getStartTime());
    return switch (ended.end.status()) {
      case SUCCEEDED -> new JobResult(job, JobStatus.FINISHED, ran, Optional.empty());
      case CANCELED -> new JobResult(job, JobStatus.CANCELED, ran, Optional.empty());
      case FAILED, UNKNOWN ->
          new JobResult(
              job,
              JobStatus.FAILED,
              ran,
              Optional.of(Failure.of(ErrorKind.EXTERNAL, why(ended.end))));
    };
  }

  private String why(Outcome end) {
    return ApplicationDiagnostics.withoutFullStop(end.diagnostics()) + ". " + application.logs();
  }

  @Override
  public CancelOutcome cancel(JobId job) {
    try {
      return ask(rest -> rest.cancel(job));
    } catch (Ended e) {
      return CancelOutcome.ENDED;
    }
  }

  @Override
  public boolean heartbeat(JobId job, Duration timeout) {
    try {
      return ask(rest -> rest.heartbeat(job, timeout));
    } catch (Ended e) {
      return false;
    }
  }

  @Override
  public CollectedPage collected(JobId job, String name, long next, Duration patience) {
    return ask(rest -> rest.collected(job, name, next, patience));
  }

  @Override
  public Optional<CachedDataSet> dataSet(DataSetId id) {
    return ask(rest -> rest.dataSet(id));
  }

  @Override
  public void releaseDataSet(DataSetId id) {
    try {
      ask(
          rest -> {
            rest.releaseDataSet(id);
            return id;
          });
    } catch (Ended e) {
      // It ended with the cluster.
      return;
    }
  }

  @Override
  public Duration reconnectTimeout() {
    return timeout;
  }

  @Override
  public String cancelCommand(JobId job) {
    return "millrace cancel -yid " + application.id() + " " + job;
  }

  /** The job has ended, and the client has its result: the cluster need not wait any longer. */
  void dismiss() {
    try {
      ask(
          rest -> {
            rest.shutDownCluster();
            return application;
          });
    } catch (Ended e) {
      // The cluster has ended, as requested.
      return;
    }
  }

  /** Ends a per-job cluster with its job. */
  void end(JobId job) {
    try {
      cancel(job);
      if (awaitResult(job, END_TIMEOUT).isPresent()) {
        dismiss();
        if (application.awaitEnd(END_TIMEOUT).isPresent()) {
          return;
        }
      }
    } catch (MillraceException e) {
      // The cluster does not answer, so YARN ends it.
      application.kill("Its client has ended.");
      return;
    }
    application.kill("Its client has ended, and the job did not end in time.");
  }

  @Override
  public void close() {
    disconnect.run();
  }
}
