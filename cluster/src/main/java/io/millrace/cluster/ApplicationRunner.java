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

/** One run of an application's {@code main}, from its call to the end of its last job. */
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
   * Runs {@code main} in the calling thread and waits for all its jobs. Those that are open when it
   * throws are cancelled: nobody is left who could use what they do.
   */
  ApplicationOutcome run() {
    Optional<MillraceException> thrown = Optional.empty();
    try {
      callMain();
      LOG.info("main has returned; jobs submitted: {}", executor.jobs().size());
    } catch (MillraceException e) {
      // The stack of a job's failure is the job's; here only that of the program's own would help.
      LOG.error("main has thrown: {}", Failure.sentence(e), e.getCause());
      thrown = Optional.of(e);
      cancelOpen();
    }
    return ending(thrown, this::await);
  }

  void callMain() {
    program.run(new ProgramContext(executor, configuration), arguments);
  }

  /**
   * How the application ended if a program's {@code System.exit} were the end of its {@code main}.
   * Empty where its jobs have all finished and the code it chose may stand.
   */
  Optional<ApplicationOutcome> exited() {
    ApplicationOutcome ending =
        ending(Optional.empty(), job -> cluster.awaitResult(job.id(), Duration.ZERO));
    return ending.code() == ExitCode.SUCCEEDED
        ? Optional.empty()
        : Optional.of(
            new ApplicationOutcome(
                ending.code(), "The program called System.exit. " + ending.reason()));
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
        new JobResult(job.id(), result.status(), result.runtime().toMillis(), result.failure()));
  }

  /** Looks up how a job ended; may wait for it. */
  private interface Lookup {
    Optional<JobResult> of(SubmittedJob job);
  }

  /**
   * A failed job outweighs a cancelled one, and both outweigh what {@code main} throws, which most
   * of the time is only how it heard of the job's end.
   */
  private ApplicationOutcome ending(Optional<MillraceException> thrown, Lookup lookup) {
    // Taken once: a program that exits may be submitting in another thread.
    List<SubmittedJob> jobs = executor.jobs();
    List<ApplicationOutcome> bad = new ArrayList<>();
    for (SubmittedJob job : jobs) {
      badEnd(job, lookup).ifPresent(bad::add);
    }
    for (ExitCode code : List.of(ExitCode.FAILED, ExitCode.CANCELED, ExitCode.UNKNOWN)) {
      for (ApplicationOutcome ending : bad) {
        if (ending.code() == code) {
          return ending;
        }
      }
    }
    if (thrown.isPresent()) {
      return new ApplicationOutcome(ExitCode.FAILED, Failure.sentence(thrown.get()));
    }
    return jobs.isEmpty()
        ? new ApplicationOutcome(
            ExitCode.FAILED,
            "The program ended without running a job. Call execute on its StreamEnvironment.")
        : new ApplicationOutcome(
            ExitCode.SUCCEEDED, jobs.size() == 1 ? "Its job finished." : "Its jobs finished.");
  }

  private static Optional<ApplicationOutcome> badEnd(SubmittedJob job, Lookup lookup) {
    String name = "Job '" + job.name() + "' (" + job.id() + ")";
    Optional<JobResult> result;
    try {
      result = lookup.of(job);
    } catch (MillraceException e) {
      return Optional.of(
          new ApplicationOutcome(
              ExitCode.UNKNOWN,
              "How " + name + " ended cannot be learned: " + Failure.sentence(e)));
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

  /** Nobody watches but the log. */
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
