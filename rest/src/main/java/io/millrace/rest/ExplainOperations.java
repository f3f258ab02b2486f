package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rest.explain.JobSnapshot;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What tells people why a job is where it is. */
final class ExplainOperations {
  List<Operation> table() {
    return List.of(
        Operation.own(
            GET,
            "/jobs/:jobid/explain",
            "Why the job waits, where its slots are and why there, what its failures led to.",
            told(story -> ExplainViews.explanation(story.explain()))),
        Operation.own(
            GET,
            "/jobs/:jobid/timeline",
            "The steps of the job's life with start, end and process.",
            told(story -> ExplainViews.timeline(story.timeline()))));
  }

  private static Function<RestRequest, CompletableFuture<RestResponse>> told(
      Function<JobSnapshot, JsonObject> view) {
    return call -> story(call).thenApply(story -> RestResponse.ok(view.apply(story)));
  }

  private static CompletableFuture<JobSnapshot> story(RestRequest call) {
    var id = call.job();
    var details =
        call.dispatcher(dispatcher -> dispatcher.describeJob(new DescribeJob(id)))
            .thenApply(
                answer ->
                    answer
                        .job()
                        .orElseThrow(() -> new RestError(404, "There is no job " + id + ".")));
    var journal = call.dispatcher(dispatcher -> dispatcher.readJournal(new ReadJournal(id)));
    // A job can be explained without the ResourceManager; that may even be the explanation.
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
