package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.JobId;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.DescribeJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rest.explain.CheckpointReport;
import io.millrace.rest.explain.JobSnapshot;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Explains the state of a job: why it waits, where its slots are, what happened before. */
final class ExplainOperations {
  List<Operation> table() {
    return List.of(
        Operation.extension(
            GET,
            "/jobs/:jobid/explain",
            "Why the job waits, where its slots are and why there, what its failures led to.",
            this::explain),
        Operation.extension(
            GET,
            "/jobs/:jobid/timeline",
            "The steps of the job's life with start, end and process.",
            render(snapshot -> ExplainViews.timeline(snapshot.timeline()))));
  }

  private CompletableFuture<RestResponse> explain(RestRequest call) {
    JobId id = call.job();
    CompletableFuture<CheckpointStatistics> checkpoints =
        call.dispatcher(dispatcher -> dispatcher.listCheckpoints(new ListJobCheckpoints(id)))
            .thenApply(answer -> answer.statistics().orElse(CheckpointStatistics.NONE))
            .thenCompose(statistics -> withSubtasks(call, id, statistics));
    return snapshot(call)
        .thenCombine(
            checkpoints,
            (snapshot, statistics) ->
                RestResponse.ok(
                    ExplainViews.explanation(
                        snapshot
                            .explain()
                            .withNotes(
                                CheckpointReport.notes(
                                    statistics, snapshot.job().graph(), call.now())))));
  }

  /** Lists of checkpoints have no subtasks: adds those of the checkpoints that are explained. */
  private static CompletableFuture<CheckpointStatistics> withSubtasks(
      RestRequest call, JobId id, CheckpointStatistics statistics) {
    CompletableFuture<CheckpointStatistics> all = CompletableFuture.completedFuture(statistics);
    for (long number : CheckpointReport.explained(statistics, call.now())) {
      all =
          all.thenCombine(
              call.dispatcher(
                  dispatcher ->
                      dispatcher.describeCheckpoint(new DescribeJobCheckpoint(id, number))),
              (known, answer) -> answer.checkpoint().map(known::with).orElse(known));
    }
    return all;
  }

  private static Function<RestRequest, CompletableFuture<RestResponse>> render(
      Function<JobSnapshot, JsonObject> view) {
    return call -> snapshot(call).thenApply(snapshot -> RestResponse.ok(view.apply(snapshot)));
  }

  private static CompletableFuture<JobSnapshot> snapshot(RestRequest call) {
    var id = call.job();
    var details =
        call.dispatcher(dispatcher -> dispatcher.describeJob(new DescribeJob(id)))
            .thenApply(answer -> answer.job().orElseThrow(() -> JobOperations.unknown(id)));
    var journal = call.dispatcher(dispatcher -> dispatcher.readJournal(new ReadJournal(id)));
    // The explanation does not need the ResourceManager: its absence may be why the job waits.
    CompletableFuture<Optional<List<WorkerInfo>>> workers =
        ClusterOperations.workers(call).handle((known, failure) -> Optional.ofNullable(known));
    return details
        .thenCombine(
            journal, (job, events) -> new JobSnapshot(job, events.history(), Optional.empty(), 0))
        .thenCombine(
            workers,
            (known, all) -> new JobSnapshot(known.job(), known.history(), all, call.now()));
  }
}
