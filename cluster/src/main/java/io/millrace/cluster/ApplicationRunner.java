package io.millrace.cluster;

import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.ClusterClient;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.PackagedProgram;
import io.millrace.client.RecordDecoder;
import io.millrace.client.SubmittedJob;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the {@code main} of an application and waits until its last job has ended. */
final class ApplicationRunner {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationRunner.class);

  private final PackagedProgram program;
  private final List<String> arguments;
  private final Configuration configuration;
  private final ClusterClient cluster;
  private final ClusterJobExecutor executor;

  ApplicationRunner(
      PackagedProgram program,
      List<String> arguments,
      Configuration configuration,
      ClusterClient cluster) {
    this.program = program;
    this.arguments = arguments;
    this.configuration = configuration;
    this.cluster = cluster;
    this.executor =
        new ClusterJobExecutor(
            cluster,
            program.jars(),
            RecordDecoder::onClassPath,
            new Progress(),
            new ApplicationJobIds(configuration.get(HighAvailabilityOptions.HA_CLUSTER_ID))::next);
  }

  /**
   * Runs {@code main} in the calling thread and waits for all its jobs. If it throws, the jobs that
   * still run are cancelled, because no code is left that uses their results.
   */
  ApplicationOutcome run() {
    try {
      callMain();
      LOG.info("main has returned; jobs submitted: {}", executor.jobs().size());
    } catch (MillraceException e) {
      // The failure of a job has been logged with its stack. Log only the cause of other
      // exceptions.
      LOG.error("main has thrown: {}", Failure.sentence(e), e.getCause());
      cancelOpen();
      return failedJob(executor.jobs(), this::await)
          .orElseGet(() -> new ApplicationOutcome(ExitCode.FAILED, Failure.sentence(e)));
    }
    return outcome(this::await);
  }

  void callMain() {
    program.run(new ProgramContext(executor, configuration), arguments);
  }

  /**
   * The outcome of the application if the program calls {@code System.exit} now. Empty if all its
   * jobs have finished, so that the process ends with the exit code of the program.
   */
  Optional<ApplicationOutcome> exited() {
    ApplicationOutcome outcome = outcome(job -> cluster.awaitResult(job.id(), Duration.ZERO));
    return outcome.code() == ExitCode.SUCCEEDED
        ? Optional.empty()
        : Optional.of(
            new ApplicationOutcome(
                outcome.code(), "The program called System.exit. " + outcome.reason()));
  }

  private void cancelOpen() {
    for (SubmittedJob job : executor.jobs()) {
      try {
        if (cluster.awaitResult(job.id(), Duration.ZERO).isEmpty()) {
          LOG.info("Job {} '{}' is cancelled, because main has thrown", job.id(), job.name());
          job.cancel().join();
        }
      } catch (RuntimeException e) {
        LOG.warn("Job {} could not be cancelled", job.id(), e);
      }
    }
  }

  private Optional<JobResult> await(SubmittedJob job) {
    var result = job.await();
    return Optional.of(
        new JobResult(
            job.id(),
            result.status(),
            result.runtime().toMillis(),
            result.failure(),
            result.accumulators()));
  }

  /** Looks up the result of a job; may wait for it. */
  private interface Lookup {
    Optional<JobResult> of(SubmittedJob job);
  }

  /** The outcome if {@code main} has not thrown. */
  private ApplicationOutcome outcome(Lookup lookup) {
    // Read once, because another thread of the program may submit jobs.
    List<SubmittedJob> jobs = executor.jobs();
    return failedJob(jobs, lookup)
        .orElseGet(
            () ->
                jobs.isEmpty()
                    ? new ApplicationOutcome(
                        ExitCode.FAILED,
                        "The program ended without running a job. Call execute on its"
                            + " StreamEnvironment.")
                    : new ApplicationOutcome(
                        ExitCode.SUCCEEDED,
                        jobs.size() == 1 ? "Its job finished." : "Its jobs finished."));
  }

  /**
   * The outcome of the job that decides: a failed job before a cancelled one, before one whose
   * result is not known. All take precedence over an exception of {@code main}, which mostly
   * reports the end of the same job.
   */
  private static Optional<ApplicationOutcome> failedJob(List<SubmittedJob> jobs, Lookup lookup) {
    List<ApplicationOutcome> failed = new ArrayList<>();
    for (SubmittedJob job : jobs) {
      failureOf(job, lookup).ifPresent(failed::add);
    }
    for (ExitCode code : List.of(ExitCode.FAILED, ExitCode.CANCELED, ExitCode.UNKNOWN)) {
      for (ApplicationOutcome outcome : failed) {
        if (outcome.code() == code) {
          return Optional.of(outcome);
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<ApplicationOutcome> failureOf(SubmittedJob job, Lookup lookup) {
    String name = "Job '" + job.name() + "' (" + job.id() + ")";
    Optional<JobResult> result;
    try {
      result = lookup.of(job);
    } catch (MillraceException e) {
      return Optional.of(
          new ApplicationOutcome(
              ExitCode.UNKNOWN,
              "The result of " + name + " is not available: " + Failure.sentence(e)));
    }
    if (result.isEmpty()) {
      return Optional.of(new ApplicationOutcome(ExitCode.UNKNOWN, name + " had not ended."));
    }
    JobStatus status = result.get().status();
    if (status == JobStatus.FINISHED
        || (status == JobStatus.CANCELED && job.cancelledByProgram())) {
      return Optional.empty();
    }
    return Optional.of(ApplicationOutcome.of(name, result.get()));
  }

  /** Logs the progress of jobs. */
  private static final class Progress implements JobListener {
    @Override
    public void submitted(JobId job, String name) {
      LOG.info("Job {} '{}' belongs to the application", job, name);
    }

    @Override
    public void changed(JobOverview job) {
      LOG.info(
          "Job {} is {}{}",
          job.id(),
          job.status(),
          job.waitingFor().map(reason -> ", waiting: " + reason).orElse(""));
    }
  }
}
