package io.millrace.control.dispatcher;

import io.millrace.control.archive.JobArchive;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CheckpointAnswer;
import io.millrace.protocol.DispatcherGateway.CheckpointsAnswer;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.DescribeJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.FetchCollected;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.DispatcherGateway.JobEvents;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.DispatcherGateway.Jobs;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ReadJobMetrics;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobOverview;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Answers what clients ask about jobs: through the JobMaster while a job runs, from the archive
 * after its end. Lives in the mailbox of the Dispatcher.
 */
final class JobQueries {
  private static final Duration LEADER_PAUSE = Duration.ofMillis(50);

  private final Map<JobId, RunningJob> running;
  private final JobArchive archive;
  private final AsyncJobStorage storage;
  private final Env env;
  private final Mailbox mailbox;
  private final Duration askTimeout;
  private final CollectedRecordsFetcher collectedRecords;

  /**
   * @param running the jobs that have not ended, which the Dispatcher changes
   */
  JobQueries(
      Map<JobId, RunningJob> running,
      JobArchive archive,
      AsyncJobStorage storage,
      Env env,
      Mailbox mailbox,
      Duration askTimeout) {
    this.running = running;
    this.archive = archive;
    this.storage = storage;
    this.env = env;
    this.mailbox = mailbox;
    this.askTimeout = askTimeout;
    this.collectedRecords = new CollectedRecordsFetcher(mailbox, askTimeout, LEADER_PAUSE);
  }

  CompletableFuture<Jobs> listJobs(ListJobs request) {
    List<CompletableFuture<JobOverview>> overviews = new ArrayList<>();
    for (RunningJob job : running.values()) {
      job.graph.ifPresent(graph -> overviews.add(job.overview(mailbox, askTimeout)));
    }
    archive.all().forEach(overview -> overviews.add(CompletableFuture.completedFuture(overview)));
    return CompletableFuture.allOf(overviews.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> new Jobs(overviews.stream().map(CompletableFuture::join).toList()));
  }

  CompletableFuture<JobAnswer> describeJob(DescribeJob request) {
    RunningJob job = running.get(request.job());
    if (job == null || job.graph.isEmpty() || job.endedBefore) {
      return archived(request.job())
          .thenApply(archived -> new JobAnswer(archived.map(ArchivedJob::details)));
    }
    return job.details(mailbox, askTimeout).thenApply(known -> new JobAnswer(Optional.of(known)));
  }

  CompletableFuture<JobMetrics> readMetrics(ReadJobMetrics request) {
    RunningJob job = running.get(request.job());
    return job == null
        ? CompletableFuture.completedFuture(new JobMetrics(List.of()))
        : job.metrics(request.vertex(), mailbox, askTimeout);
  }

  CompletableFuture<ResultAnswer> awaitResult(AwaitResult request) {
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

  CompletableFuture<CollectedPage> fetchCollected(FetchCollected request) {
    RunningJob job = running.get(request.job());
    return job == null
        ? CompletableFuture.completedFuture(
            archive
                .collected(request.job())
                .map(collected -> CollectedRecordsFetcher.fetch(collected, request))
                .orElseGet(() -> CollectedRecordsFetcher.unknownJob(request)))
        : collectedRecords.fetch(job, request);
  }

  CompletableFuture<JobEvents> readJournal(ReadJournal request) {
    return archived(request.job())
        .thenApply(
            archived ->
                new JobEvents(
                    archived
                        .map(ArchivedJob::history)
                        .orElseGet(() -> env.journal().history(request.job()))));
  }

  CompletableFuture<CheckpointsAnswer> listCheckpoints(ListJobCheckpoints request) {
    RunningJob job = running.get(request.job());
    if (job == null || job.endedBefore) {
      return archived(request.job())
          .thenApply(
              archived ->
                  new CheckpointsAnswer(
                      archived.map(ended -> ended.checkpoints().withoutVertices())));
    }
    return job.checkpoints(mailbox, askTimeout)
        .thenApply(statistics -> new CheckpointsAnswer(Optional.of(statistics)));
  }

  CompletableFuture<CheckpointAnswer> describeCheckpoint(DescribeJobCheckpoint request) {
    RunningJob job = running.get(request.job());
    if (job == null || job.endedBefore) {
      return archived(request.job())
          .thenApply(
              archived ->
                  new CheckpointAnswer(
                      archived.flatMap(ended -> ended.checkpoints().find(request.number()))));
    }
    return job.checkpoint(request.number(), mailbox, askTimeout);
  }

  /**
   * The archived job. Of a job that ended under an earlier leader only the archive has the details,
   * so that they are read after the archive has been looked up.
   */
  private CompletableFuture<Optional<ArchivedJob>> archived(JobId id) {
    RunningJob job = running.get(id);
    return job == null || !job.endedBefore
        ? archive.read(id)
        : job.archived.thenCompose(end -> archive.read(id));
  }
}
