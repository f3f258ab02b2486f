package io.millrace.rest;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.journal.History;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A Dispatcher with jobs that tests set. Accessed by tests and by its mailbox. */
final class FakeDispatcher extends Endpoint implements DispatcherGateway {
  final Map<JobId, JobDetails> jobs = new ConcurrentHashMap<>();
  final Map<JobId, JobResult> results = new ConcurrentHashMap<>();
  final Map<JobId, History> histories = new ConcurrentHashMap<>();
  final Map<JobId, CheckpointStatistics> checkpoints = new ConcurrentHashMap<>();
  final Map<Id128, DisposalAnswer> disposals = new ConcurrentHashMap<>();
  final Map<VertexId, JobMetrics> metrics = new ConcurrentHashMap<>();
  final List<JobOverview> overviews = new CopyOnWriteArrayList<>();
  final List<Record> received = new CopyOnWriteArrayList<>();

  FakeDispatcher(Rpc rpc, LeaderToken token) {
    super(rpc, "dispatcher-" + token.term(), Optional.of(token));
  }

  @Override
  public CompletableFuture<Acknowledge> submitJob(SubmitJob submission) {
    received.add(submission);
    if (jobs.containsKey(submission.job())) {
      throw new MillraceException(
          ErrorKind.USER, "Job " + submission.job() + " runs already. Submit it under another id.");
    }
    return CompletableFuture.completedFuture(new Acknowledge());
  }

  @Override
  public CompletableFuture<CancelReply> cancelJob(CancelJob request) {
    received.add(request);
    CancelOutcome outcome =
        results.containsKey(request.job())
            ? CancelOutcome.ENDED
            : jobs.containsKey(request.job()) ? CancelOutcome.ACCEPTED : CancelOutcome.NOT_FOUND;
    return CompletableFuture.completedFuture(new CancelReply(outcome));
  }

  @Override
  public CompletableFuture<ClientReply> hearClient(ClientHeartbeat heartbeat) {
    received.add(heartbeat);
    boolean known = jobs.containsKey(heartbeat.job());
    return CompletableFuture.completedFuture(
        new ClientReply(known, known && !results.containsKey(heartbeat.job())));
  }

  @Override
  public CompletableFuture<Jobs> listJobs(ListJobs request) {
    return CompletableFuture.completedFuture(new Jobs(overviews));
  }

  @Override
  public CompletableFuture<JobAnswer> describeJob(DescribeJob request) {
    return CompletableFuture.completedFuture(
        new JobAnswer(Optional.ofNullable(jobs.get(request.job()))));
  }

  @Override
  public CompletableFuture<JobMetrics> readJobMetrics(ReadJobMetrics request) {
    return CompletableFuture.completedFuture(
        metrics.getOrDefault(request.vertex(), new JobMetrics(List.of())));
  }

  @Override
  public CompletableFuture<ResultAnswer> awaitResult(AwaitResult request) {
    received.add(request);
    CompletableFuture<ResultAnswer> answer = new CompletableFuture<>();
    Runnable complete =
        () ->
            answer.complete(
                new ResultAnswer(
                    jobs.containsKey(request.job()),
                    Optional.ofNullable(results.get(request.job()))));
    if (results.containsKey(request.job()) || request.patience().isZero()) {
      complete.run();
    } else {
      mailbox.after(request.patience(), complete);
    }
    return answer;
  }

  @Override
  public CompletableFuture<CollectedPage> fetchCollected(FetchCollected request) {
    received.add(request);
    return CompletableFuture.completedFuture(
        new CollectedPage(
            jobs.containsKey(request.job()) && request.name().equals("words"),
            request.next(),
            List.of(Bytes.utf8("one"), Bytes.utf8("three")),
            true));
  }

  @Override
  public CompletableFuture<JobEvents> readJournal(ReadJournal request) {
    return CompletableFuture.completedFuture(
        new JobEvents(
            jobs.containsKey(request.job())
                ? histories.getOrDefault(
                    request.job(),
                    new History(
                        List.of(new SlotsDeclared(2, 2, Duration.ofMinutes(5)).entry().causedBy(7)),
                        List.of(),
                        0))
                : History.NONE));
  }

  @Override
  public CompletableFuture<StartReply> startCheckpoint(StartJobCheckpoint request) {
    received.add(request);
    return CompletableFuture.completedFuture(
        new StartReply(
            results.containsKey(request.job())
                ? StartOutcome.ENDED
                : jobs.containsKey(request.job())
                    ? StartOutcome.ACCEPTED
                    : StartOutcome.NOT_FOUND));
  }

  @Override
  public CompletableFuture<CheckpointsAnswer> listCheckpoints(ListJobCheckpoints request) {
    return CompletableFuture.completedFuture(
        new CheckpointsAnswer(
            jobs.containsKey(request.job())
                ? Optional.of(
                    checkpoints
                        .getOrDefault(request.job(), CheckpointStatistics.NONE)
                        .withoutVertices())
                : Optional.empty()));
  }

  @Override
  public CompletableFuture<CheckpointAnswer> describeCheckpoint(DescribeJobCheckpoint request) {
    return CompletableFuture.completedFuture(
        new CheckpointAnswer(
            checkpoints
                .getOrDefault(request.job(), CheckpointStatistics.NONE)
                .find(request.number())));
  }

  @Override
  public CompletableFuture<Acknowledge> disposeSavepoint(DisposeSavepoint request) {
    received.add(request);
    return CompletableFuture.completedFuture(new Acknowledge());
  }

  @Override
  public CompletableFuture<DisposalAnswer> askDisposal(AskDisposal request) {
    return CompletableFuture.completedFuture(
        disposals.getOrDefault(
            request.operation(), new DisposalAnswer(false, false, Optional.empty())));
  }

  @Override
  public CompletableFuture<Acknowledge> shutDown(ShutDown request) {
    received.add(request);
    return CompletableFuture.completedFuture(new Acknowledge());
  }
}
