package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointRecovery;
import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.cluster.LeaderElectionRunner;
import io.millrace.control.ha.JobResultStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileDescriptors;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election for one job and runs a JobMaster in each term it leads, until the job
 * has ended.
 */
public final class JobMasterRunner {
  private static final Logger LOG = LoggerFactory.getLogger(JobMasterRunner.class);

  /** How the job ended as far as this process is concerned. */
  public sealed interface Outcome {
    /** It ran here and has ended for good. */
    record Ended(JobTermination end) implements Outcome {}

    /** It had ended before, under another leader: it is not run again. */
    record EndedBefore(EndedJob ended) implements Outcome {}

    /** It could not be started, by its own fault. */
    record Unstartable(Failure failure) implements Outcome {}
  }

  private static final Duration DESCRIPTOR_PAUSE = Duration.ofSeconds(1);

  private final ClusterServices cluster;
  private final AcceptedJob job;
  private final JobResultStore results;
  private final CheckpointServices checkpoints;
  private final Configuration settings;
  private final LeaderElectionRunner terms;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  /** Written before it is looked whether a JobMaster serves, and read after one does. */
  private volatile Optional<CancelExecution> cancellation = Optional.empty();

  /** What is stored of a job when a leader begins with it. */
  private record Found(Optional<EndedJob> ended, CheckpointRecovery state) {}

  public JobMasterRunner(
      ClusterServices cluster,
      AcceptedJob job,
      JobResultStore results,
      CheckpointServices checkpoints) {
    this.cluster = cluster;
    this.job = job;
    this.results = results;
    this.checkpoints = checkpoints;
    this.settings = cluster.configuration().overriddenBy(job.graph().configuration());
    this.terms = new LeaderElectionRunner(cluster, ComponentNames.jobMaster(job.id()), this::begin);
  }

  /** Takes part from now on. */
  public void start() {
    terms.start();
  }

  /**
   * Completes when the job has ended, in this runner's mailbox; exceptionally where storage trouble
   * keeps it from starting. Never, where the runner is stopped before.
   */
  public CompletableFuture<Outcome> outcome() {
    return outcome;
  }

  public JobId job() {
    return job.id();
  }

  /** A gateway to the JobMaster of this process; nothing while there is none that serves. */
  public Optional<JobMasterGateway> gateway(Mailbox caller, Duration timeout) {
    return terms
        .known()
        .map(
            token ->
                cluster
                    .rpc()
                    .gateway(
                        JobMasterGateway.class,
                        new Address(cluster.rpc().address(), ComponentNames.jobMaster(job.id())),
                        Optional.of(token),
                        caller,
                        timeout));
  }

  /**
   * Has the job end, in this term and in all later ones. Completes in the caller's mailbox when its
   * JobMaster has taken it, at once where there is none that serves: it is told as soon as it does.
   */
  public CompletableFuture<Acknowledge> cancel(
      CancelExecution request, Mailbox caller, Duration timeout) {
    cancellation = Optional.of(request);
    return gateway(caller, timeout)
        .map(jobMaster -> jobMaster.cancel(request))
        .orElseGet(() -> CompletableFuture.completedFuture(Acknowledge.INSTANCE));
  }

  /** Stops taking part; a job that has not ended is suspended. */
  public CompletableFuture<Void> stop() {
    return terms.stop();
  }

  private void begin(LeaderElectionRunner.Term term) {
    if (outcome.isDone()) {
      return;
    }
    cluster
        .rpc()
        .env()
        .io()
        .call(terms.mailbox(), this::find)
        .whenComplete(
            (found, failure) -> {
              if (!term.leads()) {
                return;
              }
              if (FileDescriptors.areExhausted(failure)) {
                LOG.warn("Job {} cannot be looked up yet: {}", job.id(), failure.getMessage());
                terms.mailbox().after(DESCRIPTOR_PAUSE, () -> begin(term));
              } else if (failure != null && isOfTheJob(Failure.unwrap(failure))) {
                outcome.complete(
                    new Outcome.Unstartable(
                        Failure.of(Failure.unwrap(failure), ErrorKind.USER)));
              } else if (failure != null) {
                outcome.completeExceptionally(
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "The result or the checkpoints of job "
                            + job.id()
                            + " cannot be read from storage.",
                        Failure.unwrap(failure)));
              } else if (found.ended().isPresent()) {
                LOG.info("Job {} has ended before and is not run again", job.id());
                outcome.complete(new Outcome.EndedBefore(found.ended().get()));
              } else {
                run(term, found.state());
              }
            });
  }

  private Found find() {
    Optional<EndedJob> ended = results.find(job.id());
    return new Found(
        ended,
        ended.isPresent()
            ? CheckpointRecovery.NONE
            : CheckpointRecovery.read(job.graph(), settings, checkpoints));
  }

  /** Whether the job itself is the reason that it cannot start, not the storage. */
  private static boolean isOfTheJob(Throwable failure) {
    return failure instanceof MillraceException known && known.kind() == ErrorKind.USER;
  }

  private void run(LeaderElectionRunner.Term term, CheckpointRecovery state) {
    JobMaster jobMaster =
        new JobMaster(
            cluster,
            term.token(),
            job,
            checkpoints,
            state,
            end -> terms.mailbox().post(() -> outcome.complete(new Outcome.Ended(end))));
    term.run(
            jobMaster,
            failure ->
                outcome.complete(new Outcome.Unstartable(Failure.of(failure, ErrorKind.BUG))))
        .thenRun(
            () -> {
              jobMaster.madeKnown();
              cancellation.ifPresent(this::cancelNow);
            });
  }

  /** Comes before all that workers could offer a JobMaster which has just been made known. */
  private void cancelNow(CancelExecution request) {
    cancel(request, terms.mailbox(), cluster.configuration().get(RpcOptions.ASK_TIMEOUT))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.info("Job {} has ended before it could be cancelled", job.id(), failure);
              }
            });
  }
}
