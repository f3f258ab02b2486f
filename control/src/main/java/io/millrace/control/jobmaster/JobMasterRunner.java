package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointRecovery;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.cluster.LeaderElectionRunner;
import io.millrace.control.ha.StaleWriteException;
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
import io.millrace.protocol.StoredDeployment;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election of one job and runs a JobMaster in each term, until the job has ended.
 */
public final class JobMasterRunner {
  private static final Logger LOG = LoggerFactory.getLogger(JobMasterRunner.class);

  /** The end of the job in this process. */
  public sealed interface Outcome {
    /** The job ran here and has ended. */
    record Ended(JobTermination end) implements Outcome {}

    /** The job ended under an earlier leader and is not run again. */
    record EndedBefore(EndedJob ended) implements Outcome {}

    /** The job could not be started because of an error in the job. */
    record Unstartable(Failure failure) implements Outcome {}
  }

  private static final Duration DESCRIPTOR_RETRY_DELAY = Duration.ofSeconds(1);

  private final ClusterServices cluster;
  private final AcceptedJob job;
  private final JobStores stores;
  private final Configuration settings;
  private final LeaderElectionRunner election;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  /**
   * Written before the check for a running JobMaster, and read after one is published: no
   * cancellation is lost.
   */
  private volatile Optional<CancelExecution> cancellation = Optional.empty();

  /** What is stored of a job when a leader begins with it. */
  private record Found(Optional<EndedJob> ended, TaskRecovery state) {}

  public JobMasterRunner(ClusterServices cluster, AcceptedJob job, JobStores stores) {
    this.cluster = cluster;
    this.job = job;
    this.stores = stores;
    this.settings = job.settings(cluster.configuration());
    this.election =
        new LeaderElectionRunner(cluster, ComponentNames.jobMaster(job.id()), this::begin);
  }

  /** Takes part in the election. */
  public void start() {
    election.start();
  }

  /**
   * Completes in the mailbox of this runner when the job has ended; exceptionally if a storage
   * error prevents its start. Never completes if the runner is stopped before.
   */
  public CompletableFuture<Outcome> outcome() {
    return outcome;
  }

  public JobId job() {
    return job.id();
  }

  /** A gateway to the published JobMaster of this process; empty if there is none. */
  public Optional<JobMasterGateway> gateway(Mailbox caller, Duration timeout) {
    return election
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
   * Cancels the job in this and all later election. Completes in the mailbox of the caller when the
   * JobMaster has accepted the cancellation, or at once if none is published: it gets the
   * cancellation when it is.
   */
  public CompletableFuture<Acknowledge> cancel(
      CancelExecution request, Mailbox caller, Duration timeout) {
    cancellation = Optional.of(request);
    return gateway(caller, timeout)
        .map(jobMaster -> jobMaster.cancel(request))
        .orElseGet(() -> CompletableFuture.completedFuture(Acknowledge.INSTANCE));
  }

  /** Leaves the election. A job that has not ended is suspended. */
  public CompletableFuture<Void> stop() {
    return election.stop();
  }

  private void begin(LeaderElectionRunner.Term term) {
    if (outcome.isDone()) {
      return;
    }
    cluster
        .rpc()
        .env()
        .io()
        .call(election.mailbox(), () -> find(term.token().term()))
        .whenComplete(
            (found, failure) -> {
              if (!term.leads()) {
                return;
              }
              if (FileDescriptors.areExhausted(failure)) {
                LOG.warn(
                    "The result of job {} cannot be read and reading is retried: {}",
                    job.id(),
                    Failure.sentence(Failure.unwrap(failure)));
                election.mailbox().after(DESCRIPTOR_RETRY_DELAY, () -> begin(term));
              } else if (failure != null && isOfTheJob(Failure.unwrap(failure))) {
                outcome.complete(
                    new Outcome.Unstartable(Failure.of(Failure.unwrap(failure), ErrorKind.USER)));
              } else if (failure != null) {
                outcome.completeExceptionally(
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "The result or the checkpoints of job "
                            + job.id()
                            + " cannot be read from storage.",
                        Failure.unwrap(failure)));
              } else if (found.ended().isPresent()) {
                LOG.info("Job {} has already ended and is not run again", job.id());
                outcome.complete(new Outcome.EndedBefore(found.ended().get()));
              } else {
                run(term, found.state());
              }
            });
  }

  private Found find(long term) {
    try {
      return find(stores.readAhead(job.id()), term);
    } catch (StaleWriteException e) {
      LOG.debug("Records of job {} were changed after they were read ahead", job.id(), e);
      return find(stores, term);
    }
  }

  private Found find(JobStores stored, long term) {
    Optional<EndedJob> ended = stored.results().find(job.id());
    return new Found(
        ended,
        ended.isPresent()
            ? new TaskRecovery(CheckpointRecovery.NONE, StoredDeployment.NONE)
            : recover(stored, term));
  }

  /** The deployment last: a job whose state cannot be used has none. */
  private TaskRecovery recover(JobStores stored, long term) {
    CheckpointRecovery state =
        CheckpointRecovery.read(job.graph(), settings, stored.checkpoints(), term);
    return new TaskRecovery(
        state,
        stored.deployments().begin(job.id(), TaskRecovery.keepsTasks(job.graph(), settings), term));
  }

  /** Whether the job itself is the reason that it cannot start, not the storage. */
  private static boolean isOfTheJob(Throwable failure) {
    return failure instanceof MillraceException known && known.kind() == ErrorKind.USER;
  }

  private void run(LeaderElectionRunner.Term term, TaskRecovery state) {
    JobMaster jobMaster =
        new JobMaster(
            cluster,
            term.token(),
            job,
            stores,
            state,
            end -> election.mailbox().post(() -> outcome.complete(new Outcome.Ended(end))));
    term.run(
            jobMaster,
            failure ->
                outcome.complete(new Outcome.Unstartable(Failure.of(failure, ErrorKind.BUG))))
        .thenRun(
            () -> {
              jobMaster.published();
              cancellation.ifPresent(this::cancelNow);
            });
  }

  /** Called before workers can offer slots to a JobMaster that was just published. */
  private void cancelNow(CancelExecution request) {
    cancel(request, election.mailbox(), cluster.configuration().get(RpcOptions.ASK_TIMEOUT))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.info("Job {} ended before it could be cancelled", job.id(), failure);
              }
            });
  }
}
