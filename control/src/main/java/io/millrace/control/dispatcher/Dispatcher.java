package io.millrace.control.dispatcher;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.archive.JobArchive;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.jobmaster.AcceptedJob;
import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.control.jobmaster.EndedJobNotifier;
import io.millrace.control.jobmaster.JobMasterRunner;
import io.millrace.control.jobmaster.JobTermination;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.protocol.JobOverview;
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
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes jobs and knows them all, for one term of leadership. */
final class Dispatcher extends Endpoint implements DispatcherGateway {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
  private static final Duration LEADER_PAUSE = Duration.ofMillis(50);
  private static final CancelExecution BY_USER = new CancelExecution(Optional.empty());
  private static final Duration SHUT_DOWN_PATIENCE = Duration.ofSeconds(10);

  /** Results are small and keep jobs from running twice: more of them stay than can be shown. */
  private static final int RESULTS_FACTOR = 10;

  private final ClusterServices cluster;
  private final JobResultStore results;
  private final AsyncJobStorage storage;
  private final Owner owner;
  private final Duration askTimeout;
  private final Duration uploadRetention;
  private final CollectedRecordsFetcher collecting;
  private final JobArchive archive;
  private final HistoryWriter history;
  private final Map<JobId, RunningJob> running = new LinkedHashMap<>();
  private final JobArchiver endings;
  private final ClientHeartbeats clients;

  /** For jobs that were found ended; as few as a leader leaves behind when it dies. */
  private final List<EndedJobNotifier> lastWords = new ArrayList<>();

  private JobStorage.Recovery recovery;
  private boolean shuttingDown;

  /**
   * Whom a Dispatcher reports to.
   *
   * @param shutDown run when the user wants the cluster to end and its jobs have ended
   * @param fatal told what this process cannot go on with
   */
  record Owner(Runnable shutDown, Consumer<Throwable> fatal) {}

  Dispatcher(
      ClusterServices cluster,
      LeaderToken token,
      JobStorage storage,
      JobStorage.Recovery recovery,
      Owner owner) {
    super(cluster.rpc(), ComponentNames.DISPATCHER, Optional.of(token));
    this.cluster = cluster;
    this.results = storage.results();
    int remembered = cluster.configuration().get(JobManagerOptions.JOB_STORE_MAX_CAPACITY);
    this.storage =
        new AsyncJobStorage(storage, token.term(), RESULTS_FACTOR * remembered, env, mailbox);
    this.recovery = recovery;
    this.owner = owner;
    this.askTimeout = cluster.configuration().get(RpcOptions.ASK_TIMEOUT);
    this.uploadRetention = cluster.configuration().get(RestOptions.UPLOAD_RETENTION);
    this.collecting = new CollectedRecordsFetcher(mailbox, askTimeout, LEADER_PAUSE);
    this.archive =
        new JobArchive(cluster.configuration(), storage.archives().pages(), env, mailbox);
    this.history = new HistoryWriter(storage.archives().history(), env, mailbox);
    this.endings =
        new JobArchiver(
            running,
            this.storage,
            archive,
            history,
            new JobArchiver.Shell(env, mailbox, this::record, owner.fatal()));
    this.clients = new ClientHeartbeats(env, mailbox, this::clientLost);
  }

  @Override
  protected void onStart() {
    for (JobStorage.Recovered found : recovery.jobs()) {
      RunningJob job = new RunningJob(found.job().submission(), env.wallMillis());
      job.graph = found.graph();
      running.put(job.id(), job);
      record(entry(job.id(), new JobRecovered()));
      if (found.ended().isPresent()) {
        EndedJobNotifier word = new EndedJobNotifier(cluster, job.id());
        lastWords.add(word);
        word.start();
        endings.endedBefore(job, found.ended().get());
      } else {
        LOG.info(
            "Job {} recovered from the store{}",
            job.id(),
            found.job().cancelled() ? ", where it is cancelled" : "");
        run(job, found.job().cancelled() ? Optional.of(BY_USER) : Optional.empty());
      }
    }
    archive.begin(
        recovery.ended().stream()
            .map(ended -> JobArchiver.placeholder(ended, Optional.empty(), History.NONE))
            .toList(),
        running::containsKey);
    recovery.ended().forEach(ended -> storage.cleanedUp(ended.job()));
    recovery = new JobStorage.Recovery(List.of(), List.of());
    mailbox.after(uploadRetention, this::clearUnused);
  }

  /** Clients that died before they submitted a job have left its graph or jars. */
  private void clearUnused() {
    storage
        .clearUnused(
            () -> {
              Set<BlobKey> needed = new LinkedHashSet<>();
              running.values().forEach(job -> needed.addAll(job.blobs()));
              return needed;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn("Uploads that no job needs could not be removed", failure);
              }
              mailbox.after(uploadRetention, this::clearUnused);
            });
  }

  @Override
  protected CompletableFuture<Void> onStop() {
    MillraceException stopped =
        new MillraceException(
            ErrorKind.RESOURCE,
            "The Dispatcher stops and another one takes its place. Ask again in a few seconds.");
    running.values().forEach(job -> job.archived.completeExceptionally(stopped));
    return CompletableFuture.allOf(
        Stream.concat(
                Stream.of(history.stop(), archive.stop()),
                Stream.concat(
                    lastWords.stream().map(EndedJobNotifier::stop),
                    running.values().stream()
                        .flatMap(job -> job.runner.stream())
                        .map(JobMasterRunner::stop)))
            .toArray(CompletableFuture<?>[]::new));
  }

  @Override
  public CompletableFuture<Acknowledge> submitJob(SubmitJob submission) {
    JobId id = submission.job();
    if (shuttingDown) {
      return refuse(
          submission,
          new MillraceException(
              ErrorKind.RESOURCE, "The cluster is shutting down and takes no more jobs."));
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
                // After trouble with the storage nobody knows whether the job is in it, and one
                // that is must find its graph.
                LOG.info("Job {} could not be stored: {}", id, known.message());
                return CompletableFuture.<Acknowledge>failedFuture(known.toException());
              }
              String name = accepted.graph().name();
              job.graph = Optional.of(accepted.graph());
              LOG.info("Job {} '{}' accepted", id, name);
              record(
                  entry(id, new JobSubmitted(name))
                      .taking(Math.max(0, env.wallMillis() - job.startedAt)));
              run(
                  job,
                  accepted.cancelled()
                      ? job.cancellation.or(() -> Optional.of(BY_USER))
                      : job.cancellation);
              return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
            })
        .thenCompose(answer -> answer);
  }

  /** The graph of a refused job goes before its client hears of it, who may bring it again. */
  private CompletableFuture<Acknowledge> refuse(SubmitJob submission, RuntimeException reason) {
    LOG.info("Job {} is not accepted: {}", submission.job(), reason.getMessage());
    return storage
        .discard(() -> endings.unused(List.of(submission.graph())))
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
                LOG.warn("That job {} is cancelled could not be stored; it runs on", id, failure);
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
    List<CompletableFuture<JobOverview>> lines = new ArrayList<>();
    for (RunningJob job : running.values()) {
      job.graph.ifPresent(graph -> lines.add(job.overview(mailbox, askTimeout)));
    }
    archive.all().forEach(line -> lines.add(CompletableFuture.completedFuture(line)));
    return CompletableFuture.allOf(lines.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> new Jobs(lines.stream().map(CompletableFuture::join).toList()));
  }

  @Override
  public CompletableFuture<JobAnswer> describeJob(DescribeJob request) {
    RunningJob job = running.get(request.job());
    if (job == null || job.graph.isEmpty()) {
      return archive
          .page(request.job())
          .thenApply(page -> new JobAnswer(page.map(ArchivedJob::details)));
    }
    return job.details(mailbox, askTimeout).thenApply(known -> new JobAnswer(Optional.of(known)));
  }

  @Override
  public CompletableFuture<ResultAnswer> awaitResult(AwaitResult request) {
    RunningJob job = running.get(request.job());
    if (job == null) {
      Optional<EndedJob> ended = archive.find(request.job());
      if (ended.isPresent()) {
        return CompletableFuture.completedFuture(
            new ResultAnswer(true, ended.map(EndedJob::result)));
      }
      return storage
          .findResult(request.job())
          .thenApply(stored -> new ResultAnswer(stored.isPresent(), stored));
    }
    CompletableFuture<ResultAnswer> answer = new CompletableFuture<>();
    Mailbox.Timer patience =
        mailbox.after(
            request.patience(), () -> answer.complete(new ResultAnswer(true, Optional.empty())));
    job.archived.whenComplete(
        (end, failure) -> {
          patience.cancel();
          if (failure == null) {
            answer.complete(new ResultAnswer(true, Optional.of(end.result())));
          } else {
            answer.completeExceptionally(failure);
          }
        });
    return answer;
  }

  @Override
  public CompletableFuture<CollectedPage> fetchCollected(FetchCollected request) {
    RunningJob job = running.get(request.job());
    return job == null
        ? CompletableFuture.completedFuture(
            CollectedRecordsFetcher.fetch(archive.collected(request.job()), request))
        : collecting.fetch(job, request);
  }

  @Override
  public CompletableFuture<JobEvents> readJournal(ReadJournal request) {
    return archive
        .page(request.job())
        .thenApply(
            page ->
                new JobEvents(
                    page.map(ArchivedJob::history)
                        .orElseGet(() -> env.journal().history(request.job()))));
  }

  @Override
  public CompletableFuture<Acknowledge> shutDown(ShutDown request) {
    if (!shuttingDown) {
      shuttingDown = true;
      LOG.info("Shutting down: {} jobs are cancelled", running.size());
      record(JournalEntry.of(new ShutdownRequested()));
      List<CompletableFuture<JobTermination>> ends = new ArrayList<>();
      for (RunningJob job : running.values()) {
        ends.add(job.archived);
        cancel(job, BY_USER)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    LOG.warn(
                        "Job {} is cancelled, but that could not be stored: the next JobManager"
                            + " would run it again",
                        job.id(),
                        failure);
                    end(job, BY_USER);
                  }
                });
      }
      CompletableFuture<Void> allEnded =
          CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
      mailbox.after(SHUT_DOWN_PATIENCE, () -> allEnded.complete(null));
      allEnded.whenComplete((nothing, failure) -> owner.shutDown().run());
    }
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  /**
   * @param cancelled before it could run, so that it ends as soon as somebody leads it
   */
  private void run(RunningJob job, Optional<CancelExecution> cancelled) {
    JobMasterRunner runner =
        new JobMasterRunner(
            cluster, new AcceptedJob(job.graph.orElseThrow(), job.submission.graph()), results);
    job.runner = Optional.of(runner);
    runner
        .outcome()
        .whenComplete((outcome, failure) -> mailbox.post(() -> ended(job, outcome, failure)));
    cancelled.ifPresentOrElse(request -> end(job, request), () -> expectClient(job));
    runner.start();
  }

  private void ended(RunningJob job, JobMasterRunner.Outcome outcome, Throwable failure) {
    clients.forget(job.id());
    if (failure != null) {
      owner.fatal().accept(failure);
    } else if (outcome instanceof JobMasterRunner.Outcome.Ended ran) {
      endings.writeDown(job, ran.end());
    } else if (outcome instanceof JobMasterRunner.Outcome.Unstartable broken) {
      LOG.info("Job {} could not be started: {}", job.id(), broken.failure().message());
      record(
          entry(
              job.id(),
              new DispatcherEvent.JobEnded(
                  JobStatus.FAILED,
                  new JobFailure(broken.failure().kind(), broken.failure().message()))));
      JobPlaceholder placeholder =
          new JobPlaceholder(
              job.graph.orElseThrow(),
              JobStatus.FAILED,
              job.startedAt,
              env.wallMillis(),
              Optional.of(broken.failure()));
      endings.writeDown(job, placeholder.end(CollectedRecordsBuffer.nothing()));
    } else if (outcome instanceof JobMasterRunner.Outcome.EndedBefore before) {
      endings.endedBefore(job, before.ended());
    } else {
      throw new IllegalArgumentException("Unknown outcome " + outcome);
    }
  }

  /**
   * Stored before anybody hears of it, so that whoever leads next does not run the job again.
   * Answers whether the job has yet to end.
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
              // It is ending already, or its next JobMaster hears of it.
              LOG.info("Job {}: its JobMaster did not take the cancellation", job.id(), failure);
              return Acknowledge.INSTANCE;
            });
  }

  static JournalEntry entry(JobId job, DispatcherEvent event) {
    return event.entry().forJob(job);
  }
}
