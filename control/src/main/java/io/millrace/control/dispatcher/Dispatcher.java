package io.millrace.control.dispatcher;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.archive.JobArchive;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.jobmaster.AcceptedJob;
import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.control.jobmaster.EndedJobNotifier;
import io.millrace.control.jobmaster.JobMasterRunner;
import io.millrace.control.jobmaster.JobStores;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.protocol.JobMasterGateway.StartCheckpoint;
import io.millrace.protocol.journal.DispatcherEvent;
import io.millrace.protocol.journal.DispatcherEvent.CancellationStored;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.journal.DispatcherEvent.JobSubmitted;
import io.millrace.protocol.journal.DispatcherEvent.ShutdownRequested;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts jobs, runs them and keeps ended ones, for one term. */
final class Dispatcher extends Endpoint implements DispatcherGateway {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
  private static final CancelExecution BY_USER = new CancelExecution(Optional.empty());
  private static final Duration SHUT_DOWN_TIMEOUT = Duration.ofSeconds(10);

  /**
   * Results are small and prevent a job from running twice, so more of them are stored than shown.
   */
  private static final int RESULTS_FACTOR = 10;

  private final ClusterServices cluster;
  private final JobStores stores;
  private final AsyncJobStorage storage;
  private final DispatcherCallbacks callbacks;
  private final Duration askTimeout;
  private final Duration uploadRetention;
  private final JobArchive archive;
  private final HistoryWriter history;
  private final Map<JobId, RunningJob> running = new LinkedHashMap<>();
  private final JobArchiver archiver;
  private final JobQueries queries;
  private final ClientHeartbeats clients;
  private final SavepointDisposals disposals;

  /**
   * For recovered jobs that have ended: at most a few, which the previous leader did not remove.
   */
  private final List<EndedJobNotifier> endedJobNotifiers = new ArrayList<>();

  private JobStorage.Recovery recovery;
  private boolean shuttingDown;
  private boolean stopping;

  /**
   * Callbacks to the process of a Dispatcher.
   *
   * @param shutDown called when all jobs have ended after a request to shut down
   * @param fatal called with an error after which this process cannot continue
   */
  record DispatcherCallbacks(Runnable shutDown, Consumer<Throwable> fatal) {}

  Dispatcher(
      ClusterServices cluster,
      LeaderToken token,
      JobStorage storage,
      JobStorage.Recovery recovery,
      DispatcherCallbacks callbacks) {
    super(cluster.rpc(), ComponentNames.DISPATCHER, Optional.of(token));
    this.cluster = cluster;
    this.stores = storage.ofJobs();
    int capacity = cluster.configuration().get(JobManagerOptions.JOB_STORE_MAX_CAPACITY);
    this.storage =
        new AsyncJobStorage(storage, token.term(), RESULTS_FACTOR * capacity, env, mailbox);
    this.recovery = recovery;
    this.callbacks = callbacks;
    this.askTimeout = cluster.configuration().get(RpcOptions.ASK_TIMEOUT);
    this.uploadRetention = cluster.configuration().get(RestOptions.UPLOAD_RETENTION);
    this.archive = new JobArchive(cluster.configuration(), storage.archives(), env, mailbox);
    this.history = new HistoryWriter(storage.archives(), env, mailbox);
    this.archiver =
        new JobArchiver(
            running,
            this.storage,
            archive,
            history,
            new JobArchiver.Context(env, mailbox, this::record, callbacks.fatal()));
    this.queries = new JobQueries(running, archive, this.storage, env, mailbox, askTimeout);
    this.clients = new ClientHeartbeats(env, mailbox, this::clientLost);
    this.disposals =
        new SavepointDisposals(
            env, mailbox, stores.checkpoints(), Collections.unmodifiableMap(running));
  }

  @Override
  protected void onStart() {
    for (JobStorage.Recovered found : recovery.jobs()) {
      RunningJob job = new RunningJob(found.job().submission(), env.wallMillis());
      job.graph = found.graph();
      running.put(job.id(), job);
      storage.recovered(job.id(), found.blobs());
      record(entry(job.id(), new JobRecovered()));
      if (found.ended().isPresent()) {
        EndedJobNotifier notifier = new EndedJobNotifier(cluster, job.id());
        endedJobNotifiers.add(notifier);
        notifier.start();
        archiver.endedBefore(job, found.ended().get());
      } else {
        LOG.info(
            "Job {} recovered from the store{}",
            job.id(),
            found.job().cancelled() ? " as cancelled" : "");
        if (found.job().cancelled()) {
          job.cancellation = Optional.of(BY_USER);
        }
        run(job);
      }
    }
    archive.restore(
        recovery.ended().stream().map(JobArchiver::summary).toList(), running::containsKey);
    recovery.ended().forEach(ended -> storage.cleanedUp(ended.job()));
    recovery = new JobStorage.Recovery(List.of(), List.of());
    mailbox.after(uploadRetention, this::clearUnused);
  }

  /** Removes graphs and jars that clients uploaded without submitting a job. */
  private void clearUnused() {
    storage
        .clearUnused()
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn("Unused uploads could not be removed", failure);
              }
              mailbox.after(uploadRetention, this::clearUnused);
            });
  }

  @Override
  protected CompletableFuture<Void> onStop() {
    stopping = true;
    MillraceException stopped = stopped();
    running.values().forEach(job -> job.archived.completeExceptionally(stopped));
    return CompletableFuture.allOf(
        Stream.concat(
                Stream.of(history.stop(), archive.stop()),
                Stream.concat(
                    endedJobNotifiers.stream().map(EndedJobNotifier::stop),
                    running.values().stream()
                        .flatMap(job -> job.runner.stream())
                        .map(JobMasterRunner::stop)))
            .toArray(CompletableFuture<?>[]::new));
  }

  private static MillraceException stopped() {
    return new MillraceException(
        ErrorKind.RESOURCE,
        "The Dispatcher stops, and another one will take over. Try again in a few seconds.");
  }

  @Override
  public CompletableFuture<Acknowledge> submitJob(SubmitJob submission) {
    JobId id = submission.job();
    if (shuttingDown) {
      return refuse(
          submission,
          new MillraceException(
              ErrorKind.RESOURCE, "The cluster is shutting down and accepts no more jobs."));
    }
    if (running.containsKey(id)) {
      return refuse(
          submission,
          new MillraceException(
              ErrorKind.USER, "Job " + id + " is running already. Submit it under a new id."));
    }
    Optional<EndedJob> ended = archive.find(id);
    if (ended.isPresent()) {
      return refuse(submission, JobStorage.endedBefore(ended.get().result()));
    }
    RunningJob job = new RunningJob(submission, env.wallMillis());
    running.put(id, job);
    return storage
        .accept(submission)
        .handle(
            (accepted, failure) -> {
              if (failure != null) {
                running.remove(id);
                Failure known = Failure.of(failure, ErrorKind.EXTERNAL);
                if (known.kind() == ErrorKind.USER) {
                  return refuse(submission, known.toException());
                }
                // After a storage error the job may be stored, and a stored job needs its graph.
                LOG.info("Job {} could not be stored: {}", id, known.message());
                return CompletableFuture.<Acknowledge>failedFuture(known.toException());
              }
              if (stopping) {
                // The job is stored: the next leader runs it. Nobody would stop its JobMaster here.
                return CompletableFuture.<Acknowledge>failedFuture(stopped());
              }
              String name = accepted.graph().name();
              job.graph = Optional.of(accepted.graph());
              LOG.info("Job {} '{}' accepted", id, name);
              record(
                  entry(id, new JobSubmitted(name))
                      .taking(Math.max(0, env.wallMillis() - job.startedAt)));
              if (accepted.cancelled() && job.cancellation.isEmpty()) {
                job.cancellation = Optional.of(BY_USER);
              }
              run(job);
              return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
            })
        .thenCompose(answer -> answer);
  }

  /**
   * Removes the graph of a rejected job before the client gets the answer, because the client may
   * upload it again.
   */
  private CompletableFuture<Acknowledge> refuse(SubmitJob submission, RuntimeException reason) {
    LOG.info("Job {} is not accepted: {}", submission.job(), reason.getMessage());
    return storage
        .discard(submission.graph())
        .handle(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn("The graph of job {} could not be removed", submission.job(), failure);
              }
              throw reason;
            });
  }

  @Override
  public CompletableFuture<CancelReply> cancelJob(CancelJob request) {
    RunningJob job = running.get(request.job());
    CompletableFuture<Boolean> cancelled =
        job == null || job.end.isPresent()
            ? CompletableFuture.completedFuture(false)
            : cancel(job, BY_USER);
    return cancelled.thenApply(
        accepted ->
            new CancelReply(
                accepted
                    ? CancelOutcome.ACCEPTED
                    : running.containsKey(request.job()) || archive.find(request.job()).isPresent()
                        ? CancelOutcome.ENDED
                        : CancelOutcome.NOT_FOUND));
  }

  @Override
  public CompletableFuture<ClientReply> hearClient(ClientHeartbeat heartbeat) {
    JobId job = heartbeat.job();
    boolean expected = clients.hear(job);
    boolean known = running.containsKey(job) || archive.find(job).isPresent();
    return CompletableFuture.completedFuture(new ClientReply(known, expected));
  }

  private void clientLost(JobId id, Reason reason) {
    RunningJob job = running.get(id);
    if (job == null || job.end.isPresent()) {
      return;
    }
    Failure cause = Failure.of(ErrorKind.EXTERNAL, ReasonText.of(reason));
    LOG.info("Job {} is cancelled: {}", id, cause.message());
    record(entry(id, new ClientLost(reason)));
    cancel(job, new CancelExecution(Optional.of(cause)))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "The cancellation of job {} could not be stored; the job keeps running",
                    id,
                    failure);
                expectClient(job);
              }
            });
  }

  private void expectClient(RunningJob job) {
    job.graph
        .flatMap(JobGraph::clientTimeout)
        .ifPresent(timeout -> clients.expect(job.id(), timeout));
  }

  @Override
  public CompletableFuture<Jobs> listJobs(ListJobs request) {
    return queries.listJobs(request);
  }

  @Override
  public CompletableFuture<JobAnswer> describeJob(DescribeJob request) {
    return queries.describeJob(request);
  }

  @Override
  public CompletableFuture<ResultAnswer> awaitResult(AwaitResult request) {
    return queries.awaitResult(request);
  }

  @Override
  public CompletableFuture<CollectedPage> fetchCollected(FetchCollected request) {
    return queries.fetchCollected(request);
  }

  @Override
  public CompletableFuture<JobEvents> readJournal(ReadJournal request) {
    return queries.readJournal(request);
  }

  @Override
  public CompletableFuture<StartReply> startCheckpoint(StartJobCheckpoint request) {
    RunningJob job = running.get(request.job());
    if (job == null || job.end.isPresent()) {
      boolean known = job != null || archive.find(request.job()).isPresent();
      return CompletableFuture.completedFuture(
          new StartReply(known ? StartOutcome.ENDED : StartOutcome.NOT_FOUND));
    }
    return job.jobMaster(mailbox, askTimeout)
        .map(
            jobMaster ->
                jobMaster
                    .startCheckpoint(
                        new StartCheckpoint(
                            request.operation(), request.type(), request.directory()))
                    .thenApply(done -> new StartReply(StartOutcome.ACCEPTED)))
        .orElseGet(
            () -> CompletableFuture.completedFuture(new StartReply(StartOutcome.NOT_STARTED)));
  }

  @Override
  public CompletableFuture<CheckpointsAnswer> listCheckpoints(ListJobCheckpoints request) {
    return queries.listCheckpoints(request);
  }

  @Override
  public CompletableFuture<JobMetrics> readJobMetrics(ReadJobMetrics request) {
    return queries.readMetrics(request);
  }

  @Override
  public CompletableFuture<CheckpointAnswer> describeCheckpoint(DescribeJobCheckpoint request) {
    return queries.describeCheckpoint(request);
  }

  @Override
  public CompletableFuture<Acknowledge> disposeSavepoint(DisposeSavepoint request) {
    disposals.start(request.operation(), request.path());
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<DisposalAnswer> askDisposal(AskDisposal request) {
    return CompletableFuture.completedFuture(disposals.find(request.operation()));
  }

  @Override
  public CompletableFuture<Acknowledge> shutDown(ShutDown request) {
    if (!shuttingDown) {
      shuttingDown = true;
      LOG.info("Shutting down: {} jobs are cancelled", running.size());
      record(JournalEntry.of(new ShutdownRequested()));
      List<CompletableFuture<Acknowledge>> ends = new ArrayList<>();
      for (RunningJob job : running.values()) {
        // The checkpoints of cancelled jobs are deleted: nobody else would do so.
        ends.add(job.archived.thenCompose(end -> job.cleanedUp));
        cancel(job, BY_USER)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    LOG.warn(
                        "The cancellation of job {} could not be stored: the next JobManager"
                            + " will run it again",
                        job.id(),
                        failure);
                    end(job, BY_USER);
                  }
                });
      }
      CompletableFuture<Void> allEnded =
          CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
      mailbox.after(SHUT_DOWN_TIMEOUT, () -> allEnded.complete(null));
      allEnded.whenComplete((nothing, failure) -> callbacks.shutDown().run());
    }
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  /**
   * Starts the JobMaster of a job. A job that is already cancelled ends as soon as its JobMaster
   * runs.
   */
  private void run(RunningJob job) {
    JobMasterRunner runner =
        new JobMasterRunner(
            cluster, new AcceptedJob(job.graph.orElseThrow(), job.submission.graph()), stores);
    job.runner = Optional.of(runner);
    runner
        .outcome()
        .whenComplete((outcome, failure) -> mailbox.post(() -> ended(job, outcome, failure)));
    job.cancellation.ifPresentOrElse(request -> end(job, request), () -> expectClient(job));
    runner.start();
  }

  private void ended(RunningJob job, JobMasterRunner.Outcome outcome, Throwable failure) {
    clients.forget(job.id());
    if (failure != null) {
      callbacks.fatal().accept(failure);
    } else if (outcome instanceof JobMasterRunner.Outcome.Ended ended) {
      archiver.storeResult(job, ended.end());
    } else if (outcome instanceof JobMasterRunner.Outcome.Unstartable unstartable) {
      LOG.info("Job {} could not be started: {}", job.id(), unstartable.failure().message());
      record(
          entry(
              job.id(),
              new DispatcherEvent.JobEnded(
                  JobStatus.FAILED,
                  new JobFailure(unstartable.failure().kind(), unstartable.failure().message()))));
      JobPlaceholder placeholder =
          new JobPlaceholder(
              job.graph.orElseThrow(),
              JobStatus.FAILED,
              job.startedAt,
              env.wallMillis(),
              Optional.of(unstartable.failure()));
      archiver.storeResult(job, placeholder.end(CollectedRecordsBuffer.nothing()));
    } else if (outcome instanceof JobMasterRunner.Outcome.EndedBefore before) {
      archiver.endedBefore(job, before.ended());
    } else {
      throw new IllegalArgumentException("Unknown outcome " + outcome);
    }
  }

  /**
   * Stores the cancellation before it is acknowledged, so that the next leader does not run the job
   * again. Returns whether the job was not ended.
   */
  private CompletableFuture<Boolean> cancel(RunningJob job, CancelExecution request) {
    return storage
        .cancel(job.id())
        .thenCompose(
            stored -> {
              if (!stored || job.end.isPresent()) {
                return CompletableFuture.completedFuture(false);
              }
              record(entry(job.id(), new CancellationStored()));
              return end(job, request).thenApply(done -> true);
            });
  }

  private CompletableFuture<Acknowledge> end(RunningJob job, CancelExecution request) {
    clients.forget(job.id());
    return job.cancel(request, mailbox, askTimeout)
        .exceptionally(
            failure -> {
              // The job is ending, or its next JobMaster gets the cancellation.
              LOG.info(
                  "The JobMaster of job {} did not accept the cancellation", job.id(), failure);
              return Acknowledge.INSTANCE;
            });
  }

  static JournalEntry entry(JobId job, DispatcherEvent event) {
    return event.entry().forJob(job);
  }
}
