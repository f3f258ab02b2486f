package io.millrace.control.dispatcher;

import io.millrace.api.JobStatus;
import io.millrace.control.cluster.Cluster;
import io.millrace.control.ha.JobResults;
import io.millrace.control.jobmaster.Collected;
import io.millrace.control.jobmaster.Job;
import io.millrace.control.jobmaster.JobEnd;
import io.millrace.control.jobmaster.JobMasterRunner;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.Components;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.protocol.JobMasterGateway.DescribeExecution;
import io.millrace.protocol.JobMasterGateway.FetchBatches;
import io.millrace.protocol.JobMasterGateway.OverviewExecution;
import io.millrace.protocol.JobOverview;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.journal.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes jobs and knows them all, for one term of leadership. */
final class Dispatcher extends Endpoint implements DispatcherGateway {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
  private static final Duration LEADER_PAUSE = Duration.ofMillis(50);
  private static final Duration SHUT_DOWN_PATIENCE = Duration.ofSeconds(10);

  /** Results are small and keep jobs from running twice: more of them stay than can be shown. */
  private static final int RESULTS_FACTOR = 10;

  private final Cluster cluster;
  private final JobResults results;
  private final StorageSteps storage;
  private final Owner owner;
  private final Duration askTimeout;
  private final Archive archive;
  private final Map<JobId, RunningJob> running = new LinkedHashMap<>();
  private Storage.Recovery recovery;
  private boolean shuttingDown;

  /**
   * Whom a Dispatcher reports to.
   *
   * @param shutDown run when the user wants the cluster to end and its jobs have ended
   * @param fatal told what this process cannot go on with
   */
  record Owner(Runnable shutDown, Consumer<Throwable> fatal) {}

  Dispatcher(
      Cluster cluster, LeaderToken token, Storage storage, Storage.Recovery recovery, Owner owner) {
    super(cluster.rpc(), Components.DISPATCHER, Optional.of(token));
    this.cluster = cluster;
    this.results = storage.results();
    int remembered = cluster.configuration().get(Options.FINISHED_JOBS);
    this.storage =
        new StorageSteps(storage, token.term(), RESULTS_FACTOR * remembered, env, mailbox);
    this.recovery = recovery;
    this.owner = owner;
    this.askTimeout = cluster.configuration().get(Options.ASK_TIMEOUT);
    this.archive =
        new Archive(
            remembered,
            cluster.configuration().get(Options.FINISHED_JOBS_EXPIRATION),
            env::nanos,
            env.journal()::forget);
  }

  @Override
  protected void onStart() {
    for (EndedJob ended : recovery.ended()) {
      archive.add(
          Sketch.ended(ended, Optional.empty()),
          env.journal().history(ended.result().job()),
          since(ended));
      storage.cleanedUp(ended.job());
    }
    for (Storage.Recovered found : recovery.jobs()) {
      RunningJob job = new RunningJob(found.job(), env.wallMillis());
      job.graph = found.graph();
      running.put(job.id(), job);
      if (found.ended().isPresent()) {
        endedBefore(job, Sketch.ended(found.ended().get(), found.graph()));
      } else {
        record(event(job.id(), "job recovered", "Found in the store of the previous leader"));
        LOG.info("Job {} recovered from the store", job.id());
        run(job);
      }
    }
    recovery = new Storage.Recovery(List.of(), List.of());
  }

  @Override
  protected CompletableFuture<Void> onStop() {
    MillraceException stopped =
        new MillraceException(
            ErrorKind.RESOURCE,
            "The Dispatcher stops and another one takes its place. Ask again in a few seconds.");
    running.values().forEach(job -> job.archived.completeExceptionally(stopped));
    return CompletableFuture.allOf(
        running.values().stream()
            .flatMap(job -> job.runner.stream())
            .map(JobMasterRunner::stop)
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
    Optional<JobEnd> ended = archive.find(id);
    if (ended.isPresent()) {
      return refuse(submission, Storage.endedBefore(ended.get().result()));
    }
    RunningJob job = new RunningJob(submission, env.wallMillis());
    running.put(id, job);
    return storage
        .accept(submission)
        .handle(
            (graph, failure) -> {
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
              job.graph = Optional.of(graph);
              LOG.info("Job {} '{}' accepted", id, graph.name());
              record(
                  event(id, "job submitted", "'" + graph.name() + "' is stored and accepted")
                      .taking(Math.max(0, env.wallMillis() - job.startedAt)));
              run(job);
              return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
            })
        .thenCompose(answer -> answer);
  }

  /** The graph of a refused job goes before its client hears of it, who may bring it again. */
  private CompletableFuture<Acknowledge> refuse(SubmitJob submission, RuntimeException reason) {
    LOG.info("Job {} is not accepted: {}", submission.job(), reason.getMessage());
    return storage
        .discard(() -> unused(List.of(submission.graph())))
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
    if (job != null) {
      if (job.end.isEmpty()) {
        return cancel(job).thenApply(done -> new CancelReply(CancelOutcome.ACCEPTED));
      }
      return CompletableFuture.completedFuture(new CancelReply(CancelOutcome.ENDED));
    }
    return CompletableFuture.completedFuture(
        new CancelReply(
            archive.find(request.job()).isPresent()
                ? CancelOutcome.ENDED
                : CancelOutcome.NOT_FOUND));
  }

  @Override
  public CompletableFuture<Jobs> listJobs(ListJobs request) {
    List<CompletableFuture<JobOverview>> lines = new ArrayList<>();
    for (RunningJob job : running.values()) {
      job.graph.ifPresent(graph -> lines.add(overview(job, graph)));
    }
    archive.all().forEach(end -> lines.add(CompletableFuture.completedFuture(end.overview())));
    return CompletableFuture.allOf(lines.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> new Jobs(lines.stream().map(CompletableFuture::join).toList()));
  }

  @Override
  public CompletableFuture<JobAnswer> describeJob(DescribeJob request) {
    RunningJob job = running.get(request.job());
    if (job == null || job.graph.isEmpty()) {
      return CompletableFuture.completedFuture(
          new JobAnswer(archive.find(request.job()).map(JobEnd::details)));
    }
    return details(job, job.graph.get()).thenApply(known -> new JobAnswer(Optional.of(known)));
  }

  @Override
  public CompletableFuture<ResultAnswer> awaitResult(AwaitResult request) {
    RunningJob job = running.get(request.job());
    if (job == null) {
      Optional<JobEnd> ended = archive.find(request.job());
      if (ended.isPresent()) {
        return CompletableFuture.completedFuture(new ResultAnswer(true, ended.map(JobEnd::result)));
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
    if (job == null) {
      return CompletableFuture.completedFuture(
          archive
              .find(request.job())
              .map(end -> end.collected().page(request.name(), request.next()))
              .orElse(new CollectedPage(false, request.next(), List.of(), false)));
    }
    Optional<JobMasterGateway> jobMaster =
        job.jobMaster(mailbox, request.patience().plus(askTimeout));
    if (jobMaster.isPresent()) {
      return jobMaster
          .get()
          .fetchCollected(new FetchBatches(request.name(), request.next(), request.patience()))
          .handle(
              (page, failure) -> {
                if (failure == null) {
                  return CompletableFuture.completedFuture(page);
                }
                return job.end.isPresent()
                    ? afterwards(job, request)
                    : CompletableFuture.<CollectedPage>failedFuture(failure);
              })
          .thenCompose(page -> page);
    }
    return afterwards(job, request);
  }

  /**
   * Asks again when the job is in the archive, or after the client's patience says: nothing new.
   */
  private CompletableFuture<CollectedPage> afterwards(RunningJob job, FetchCollected request) {
    CompletableFuture<CollectedPage> answer = new CompletableFuture<>();
    Duration pause =
        request.patience().compareTo(LEADER_PAUSE) < 0 ? request.patience() : LEADER_PAUSE;
    Mailbox.Timer timer =
        mailbox.after(
            pause,
            () -> answer.complete(new CollectedPage(true, request.next(), List.of(), false)));
    job.archived.whenComplete(
        (end, failure) -> {
          timer.cancel();
          if (failure != null) {
            answer.completeExceptionally(failure);
          } else if (!answer.isDone()) {
            try {
              answer.complete(end.collected().page(request.name(), request.next()));
            } catch (MillraceException e) {
              answer.completeExceptionally(e);
            }
          }
        });
    return answer;
  }

  @Override
  public CompletableFuture<JobEvents> readJournal(ReadJournal request) {
    return CompletableFuture.completedFuture(
        new JobEvents(
            archive.history(request.job()).orElseGet(() -> env.journal().history(request.job()))));
  }

  @Override
  public CompletableFuture<Acknowledge> shutDown(ShutDown request) {
    if (!shuttingDown) {
      shuttingDown = true;
      LOG.info("Shutting down: {} jobs are cancelled", running.size());
      record(Event.of("dispatcher", "shut down", "The user ends the cluster"));
      List<CompletableFuture<JobEnd>> ends = new ArrayList<>();
      for (RunningJob job : running.values()) {
        ends.add(job.archived);
        cancel(job)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    LOG.warn("Job {} could not be cancelled", job.id(), failure);
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

  private void run(RunningJob job) {
    JobMasterRunner runner =
        new JobMasterRunner(
            cluster, new Job(job.graph.orElseThrow(), job.submission.graph()), results);
    job.runner = Optional.of(runner);
    runner
        .outcome()
        .whenComplete((outcome, failure) -> mailbox.post(() -> ended(job, outcome, failure)));
    runner.start();
  }

  private void ended(RunningJob job, JobMasterRunner.Outcome outcome, Throwable failure) {
    if (failure != null) {
      owner.fatal().accept(failure);
    } else if (outcome instanceof JobMasterRunner.Outcome.Ended ran) {
      writeDown(job, ran.end());
    } else if (outcome instanceof JobMasterRunner.Outcome.Unstartable broken) {
      LOG.info("Job {} could not be started: {}", job.id(), broken.failure().message());
      record(event(job.id(), "job FAILED", broken.failure().message()));
      Sketch sketch =
          new Sketch(
              job.graph.orElseThrow(),
              JobStatus.FAILED,
              job.startedAt,
              env.wallMillis(),
              Optional.of(broken.failure()));
      writeDown(job, sketch.end(Collected.nothing()));
    } else if (outcome instanceof JobMasterRunner.Outcome.EndedBefore before) {
      endedBefore(job, Sketch.ended(before.ended(), job.graph));
    }
  }

  /** The result is stored before anybody hears of it: from then on the job never runs again. */
  private void writeDown(RunningJob job, JobEnd end) {
    job.end = Optional.of(end);
    storage
        .putResult(new EndedJob(end.result(), end.overview()))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                retire(job, end);
              } else {
                owner.fatal().accept(failure);
              }
            });
  }

  private void endedBefore(RunningJob job, JobEnd end) {
    record(event(job.id(), "job " + end.result().status(), "It ended under an earlier leader"));
    job.end = Optional.of(end);
    retire(job, end);
  }

  private Duration since(EndedJob ended) {
    return Duration.ofMillis(Math.max(0, env.wallMillis() - ended.overview().endedAt()));
  }

  /** The JobMaster is gone before its collected records change hands. */
  private void retire(RunningJob job, JobEnd end) {
    job.runner
        .map(JobMasterRunner::stop)
        .orElse(CompletableFuture.completedFuture(null))
        .whenComplete(
            (nothing, failure) ->
                mailbox.post(
                    () -> {
                      running.remove(job.id());
                      record(event(job.id(), "job archived", "Ended as " + end.result().status()));
                      archive.add(end, env.journal().history(job.id()));
                      job.archived.complete(end);
                      cleanUp(job);
                    }));
  }

  private void cleanUp(RunningJob job) {
    storage
        .forget(job.id(), () -> unused(job.blobs()))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                LOG.debug("Job {}: graph and jars removed", job.id());
                storage.cleanedUp(job.id());
              } else {
                LOG.warn("Job {}: graph or jars could not be removed", job.id(), failure);
              }
            });
  }

  /** Those of the blobs that no job needs. */
  private Set<BlobKey> unused(Collection<BlobKey> blobs) {
    Set<BlobKey> unused = new LinkedHashSet<>(blobs);
    running.values().forEach(job -> unused.removeAll(job.blobs()));
    return unused;
  }

  /** A job whose JobMaster does not serve yet is cancelled as soon as it does. */
  private CompletableFuture<Acknowledge> cancel(RunningJob job) {
    Optional<JobMasterGateway> jobMaster = job.jobMaster(mailbox, askTimeout);
    if (jobMaster.isPresent()) {
      return jobMaster.get().cancel(new CancelExecution());
    }
    mailbox.after(
        LEADER_PAUSE,
        () -> {
          if (running.get(job.id()) == job && job.end.isEmpty()) {
            cancel(job)
                .whenComplete(
                    (done, failure) -> {
                      if (failure != null) {
                        LOG.warn("Job {} could not be cancelled", job.id(), failure);
                      }
                    });
          }
        });
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  private CompletableFuture<JobOverview> overview(RunningJob job, JobGraph graph) {
    return job.jobMaster(mailbox, askTimeout)
        .map(
            jobMaster ->
                jobMaster
                    .overview(new OverviewExecution())
                    .exceptionally(failure -> resting(job, graph).overview()))
        .orElseGet(() -> CompletableFuture.completedFuture(resting(job, graph).overview()));
  }

  private CompletableFuture<JobDetails> details(RunningJob job, JobGraph graph) {
    return job.jobMaster(mailbox, askTimeout)
        .map(
            jobMaster ->
                jobMaster
                    .describe(new DescribeExecution())
                    .exceptionally(failure -> resting(job, graph).details()))
        .orElseGet(() -> CompletableFuture.completedFuture(resting(job, graph).details()));
  }

  /** What is known of a job while no JobMaster answers for it. */
  private static Seen resting(RunningJob job, JobGraph graph) {
    return job.end
        .map(end -> new Seen(end.overview(), end.details()))
        .orElseGet(
            () -> {
              Sketch sketch = Sketch.initializing(graph, job.startedAt);
              return new Seen(sketch.overview(), sketch.details());
            });
  }

  private record Seen(JobOverview overview, JobDetails details) {}

  private static Event event(JobId job, String what, String detail) {
    return Event.of("dispatcher", what, detail).forJob(job);
  }
}
