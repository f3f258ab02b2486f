package io.millrace.control.jobmaster;

import io.millrace.control.ha.JobResults;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.Components;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobResult;
import io.millrace.rpc.Address;
import io.millrace.rpc.Env;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderElection.Candidacy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election for one job and runs a JobMaster in each term it leads, one after the
 * other. Has a mailbox of its own.
 */
public final class JobMasterRunner {
  private static final Logger LOG = LoggerFactory.getLogger(JobMasterRunner.class);

  /** How the job ended as far as this process is concerned. */
  public sealed interface Outcome {
    /** It ran here and has ended for good. */
    record Ended(JobEnd end) implements Outcome {}

    /** It had ended before, under another leader: it is not run again. */
    record EndedBefore(JobResult result) implements Outcome {}

    /** It could not be started, by its own fault. */
    record Unstartable(Failure failure) implements Outcome {}
  }

  private final Cluster cluster;
  private final Job job;
  private final JobResults results;
  private final Env env;
  private final Mailbox mailbox;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  /** Read by the Dispatcher, from its own mailbox. */
  private final AtomicReference<Optional<LeaderToken>> serving =
      new AtomicReference<>(Optional.empty());

  private Candidacy candidacy;
  private Optional<LeaderToken> term = Optional.empty();
  private Optional<JobMaster> jobMaster = Optional.empty();
  private CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);
  private boolean stopped;

  public JobMasterRunner(Cluster cluster, Job job, JobResults results) {
    this.cluster = cluster;
    this.job = job;
    this.results = results;
    this.env = cluster.rpc().env();
    this.mailbox = env.mailbox("runner-" + Components.jobMaster(job.id()));
  }

  /** Takes part from now on. */
  public void start() {
    mailbox.post(
        () ->
            candidacy =
                cluster
                    .election()
                    .contend(Components.jobMaster(job.id()), mailbox, new OwnContender()));
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
    return serving
        .get()
        .map(
            token ->
                cluster
                    .rpc()
                    .gateway(
                        JobMasterGateway.class,
                        new Address(cluster.rpc().address(), Components.jobMaster(job.id())),
                        Optional.of(token),
                        caller,
                        timeout));
  }

  /** Stops taking part; a job that has not ended is suspended. */
  public CompletableFuture<Void> stop() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    mailbox.post(
        () -> {
          if (!stopped) {
            stopped = true;
            endTerm();
          }
          previous.whenComplete(
              (nothing, failure) ->
                  mailbox.post(
                      () -> {
                        if (candidacy != null) {
                          candidacy.withdraw();
                          candidacy = null;
                        }
                        done.complete(null);
                      }));
        });
    return done;
  }

  private final class OwnContender implements LeaderElection.Contender {
    @Override
    public void granted(LeaderToken token) {
      if (stopped || outcome.isDone()) {
        return;
      }
      term = Optional.of(token);
      previous.whenComplete((nothing, failure) -> mailbox.post(() -> begin(token)));
    }

    @Override
    public void revoked() {
      LOG.info("Job {}: no longer the leader", job.id());
      endTerm();
    }
  }

  private void begin(LeaderToken token) {
    if (!leads(token)) {
      return;
    }
    env.io()
        .call(mailbox, () -> results.find(job.id()))
        .whenComplete(
            (result, failure) -> {
              if (!leads(token)) {
                return;
              }
              if (failure != null) {
                outcome.completeExceptionally(
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "Whether job " + job.id() + " has ended cannot be read from storage.",
                        Failure.unwrap(failure)));
              } else if (result.isPresent()) {
                LOG.info("Job {} has ended before and is not run again", job.id());
                outcome.complete(new Outcome.EndedBefore(result.get()));
              } else {
                run(token);
              }
            });
  }

  private void run(LeaderToken token) {
    JobMaster started =
        new JobMaster(
            cluster,
            token,
            job,
            next ->
                mailbox.post(
                    () -> {
                      if (leads(token)) {
                        serving.set(Optional.of(token));
                        candidacy.confirm(token, jobMasterAddress());
                        next.run();
                      }
                    }),
            end -> mailbox.post(() -> outcome.complete(new Outcome.Ended(end))));
    jobMaster = Optional.of(started);
    started
        .terminated()
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                mailbox.post(
                    () ->
                        outcome.complete(
                            new Outcome.Unstartable(Failure.of(failure, ErrorKind.BUG))));
              }
            });
    started.start();
  }

  private Address jobMasterAddress() {
    return new Address(cluster.rpc().address(), Components.jobMaster(job.id()));
  }

  private boolean leads(LeaderToken token) {
    return !stopped && candidacy != null && term.equals(Optional.of(token));
  }

  private void endTerm() {
    term = Optional.empty();
    serving.set(Optional.empty());
    if (jobMaster.isPresent()) {
      previous = jobMaster.get().stop();
      jobMaster = Optional.empty();
    }
  }
}
