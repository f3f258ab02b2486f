package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.Graphs;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.FetchCollected;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.journal.ClientEvent.JobSent;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Operations on jobs. */
final class JobOperations {
  private static final int EXCEPTIONS_SHOWN = 20;
  private static final Duration MAX_SUBMISSION_TIME = Duration.ofDays(1);

  private final BlobSink blobs;

  JobOperations(BlobSink blobs) {
    this.blobs = blobs;
  }

  List<Operation> table() {
    return List.of(
        Operation.flink(GET, "/jobs", "Ids and states of all jobs.", this::ids),
        Operation.flink(
            GET,
            "/jobs/overview",
            "A line about each job; with `waiting-for` while it waits.",
            this::overview),
        Operation.flink(
            GET,
            "/jobs/:jobid",
            "Vertices, states, times and plan; with `waiting-for` while the job waits.",
            described((call, job) -> JobViews.details(job, call.now()))),
        Operation.flink(
            PATCH, "/jobs/:jobid", "Cancels a job (`?mode=cancel`).", JobOperations::cancel),
        Operation.flink(
            PATCH,
            "/jobs/:jobid/clientHeartbeat",
            "Heartbeat of the client that a job is tied to; `{\"expiredTimestamp\": …}`. The time"
                + " of arrival and `client.heartbeat.timeout` of the job count, because clocks"
                + " differ.",
            this::heartbeat),
        Operation.flink(
            GET,
            "/jobs/:jobid/config",
            "The configuration of the job.",
            described((call, job) -> JobViews.config(job.graph()))),
        Operation.flink(
            GET,
            "/jobs/:jobid/exceptions",
            "Failures, newest first (`?maxExceptions=n`, 20 by default), with their kind as label"
                + " `KIND` (`?failureLabelFilter=KIND:USER`) and the failures of other tasks"
                + " until they were stopped.",
            described(
                (call, job) ->
                    JobViews.exceptions(
                        labelled(call, job.failures()),
                        call.number("maxExceptions", EXCEPTIONS_SHOWN)))),
        Operation.flink(
            GET,
            "/jobs/:jobid/execution-result",
            "The result, or that the job is in progress (`?wait=ms` waits for it).",
            this::executionResult),
        Operation.flink(
            GET,
            "/jobs/:jobid/plan",
            "The job graph.",
            described(
                (call, job) ->
                    new JsonObject().put("plan", Json.decode(Graphs.json(job.graph()))))),
        Operation.flink(
            GET,
            "/jobs/:jobid/status",
            "The job's state.",
            described((call, job) -> new JsonObject().put("status", job.status().name()))),
        Operation.extension(
                POST,
                "/jobs",
                "Submits `{\"jobId\": …, \"graph\": …}`, the graph by the hash it was uploaded"
                    + " under; `\"took\"` is the time in ms that the client needed before.",
                this::submit)
            .asSubmission(),
        Operation.extension(
            GET,
            "/jobs/:jobid/result",
            "The result with the kind of the failure (`?wait=ms` waits for it).",
            this::result),
        Operation.extension(
            GET,
            "/jobs/:jobid/collected/:name",
            "Batches of a collecting sink from `?next=n` on, as bytes (`&wait=ms` waits for some).",
            this::collected),
        Operation.extension(
            GET,
            "/jobs/:jobid/journal",
            "The journal of the job: its decisions in order.",
            this::journal));
  }

  /** The failures with the labels of the query parameter; all if it is absent. */
  private static List<RecordedFailure> labelled(RestRequest call, List<RecordedFailure> failures) {
    Optional<String> filter = call.query("failureLabelFilter");
    if (filter.isEmpty()) {
      return failures;
    }
    List<String> labels = List.of(filter.get().split(","));
    for (String label : labels) {
      if (!label.matches("[^:]+:[^:]+")) {
        throw new RestError(
            400,
            "Query parameter failureLabelFilter must have pairs such as KIND:USER, not '"
                + label
                + "'.");
      }
    }
    return failures.stream()
        .filter(
            recorded ->
                labels.stream()
                    .allMatch(
                        label ->
                            label.equals(
                                JobViews.FAILURE_KIND + ":" + recorded.failure().kind().name())))
        .toList();
  }

  private CompletableFuture<RestResponse> ids(RestRequest call) {
    return list(call, JobViews::idAndStatus);
  }

  private CompletableFuture<RestResponse> overview(RestRequest call) {
    return list(call, job -> JobViews.overview(job, call.now()));
  }

  private static CompletableFuture<RestResponse> list(
      RestRequest call, Function<JobOverview, JsonObject> view) {
    return call.dispatcher(dispatcher -> dispatcher.listJobs(new ListJobs()))
        .thenApply(
            answer ->
                RestResponse.ok(new JsonObject().put("jobs", Json.array(answer.jobs(), view))));
  }

  /** Renders a job as JSON. */
  private interface View {
    JsonObject of(RestRequest call, JobDetails job);
  }

  private static Function<RestRequest, CompletableFuture<RestResponse>> described(View view) {
    return call -> describe(call, call.job()).thenApply(job -> RestResponse.ok(view.of(call, job)));
  }

  static CompletableFuture<JobDetails> describe(RestRequest call, JobId id) {
    return call.dispatcher(dispatcher -> dispatcher.describeJob(new DescribeJob(id)))
        .thenApply(answer -> answer.job().orElseThrow(() -> unknown(id)));
  }

  static RestError unknown(JobId id) {
    // Clients of Flink look for "not found".
    return new RestError(404, "Job " + id + " not found.");
  }

  private static CompletableFuture<RestResponse> cancel(RestRequest call) {
    String mode = call.query("mode").orElse("cancel");
    if (mode.equals("stop")) {
      throw TerminationOperations.stopRemoved();
    }
    if (!mode.equals("cancel")) {
      throw new RestError(400, "Mode '" + mode + "' is not known; the only one is 'cancel'.");
    }
    return cancelJob(call);
  }

  static CompletableFuture<RestResponse> cancelJob(RestRequest call) {
    JobId id = call.job();
    return call.dispatcher(dispatcher -> dispatcher.cancelJob(new CancelJob(id)))
        .thenApply(
            reply ->
                switch (reply.outcome()) {
                  case ACCEPTED -> RestResponse.empty(202);
                  case NOT_FOUND -> throw unknown(id);
                  case ENDED ->
                      throw new RestError(
                          409, "Job " + id + " has already ended and cannot be cancelled.");
                });
  }

  private CompletableFuture<RestResponse> heartbeat(RestRequest call) {
    JobId id = call.job();
    return call.json()
        .thenCompose(
            json -> {
              if (new BodyFields(json).number("expiredTimestamp").isEmpty()) {
                throw new RestError(
                    400, "The body lacks 'expiredTimestamp' in milliseconds since the epoch.");
              }
              return call.dispatcher(dispatcher -> dispatcher.hearClient(new ClientHeartbeat(id)));
            })
        .thenApply(
            reply -> {
              if (!reply.known()) {
                throw unknown(id);
              }
              return RestResponse.json(202, new JsonObject().put("expected", reply.expected()));
            });
  }

  private CompletableFuture<RestResponse> executionResult(RestRequest call) {
    JobId id = call.job();
    return await(call, id)
        .thenCompose(
            result ->
                result
                    .map(
                        ended ->
                            describe(call, id)
                                .thenApply(job -> JobViews.executionResult(ended, job)))
                    .orElseGet(() -> CompletableFuture.completedFuture(JobViews.inProgress())))
        .thenApply(RestResponse::ok);
  }

  private CompletableFuture<RestResponse> result(RestRequest call) {
    return await(call, call.job())
        .thenApply(
            result ->
                RestResponse.ok(
                    result
                        .map(JobViews::result)
                        .orElseGet(() -> new JsonObject().put("status", "IN_PROGRESS"))));
  }

  private static CompletableFuture<Optional<JobResult>> await(RestRequest call, JobId id) {
    Duration wait = call.waitTime();
    return call.dispatcher(dispatcher -> dispatcher.awaitResult(new AwaitResult(id, wait)))
        .thenApply(
            answer -> {
              if (!answer.known()) {
                throw unknown(id);
              }
              return answer.result();
            });
  }

  private CompletableFuture<RestResponse> submit(RestRequest call) {
    return call.json()
        .thenCompose(
            json -> {
              BodyFields body = new BodyFields(json);
              JobId id = field(body, "jobId", JobId::parse);
              BlobKey graph = field(body, "graph", BlobKey::new);
              long since = call.now() - took(body);
              return call.io(() -> blobs.contains(graph))
                  .thenCompose(
                      present -> {
                        if (!present) {
                          throw new RestError(
                              400,
                              "There is no blob "
                                  + graph
                                  + "; upload the graph with PUT /blobs/"
                                  + graph
                                  + " first.");
                        }
                        return call.dispatcher(
                            dispatcher -> dispatcher.submitJob(new SubmitJob(id, graph)));
                      })
                  .thenApply(
                      accepted -> {
                        call.record(
                            JournalEntry.of(new JobSent(false))
                                .forJob(id)
                                .taking(Math.max(0, call.now() - since)));
                        return RestResponse.json(202, new JsonObject().put("jobid", id.toString()));
                      });
            });
  }

  /**
   * The time that the client needed. A duration, because clocks of client and server may differ.
   */
  private static long took(BodyFields body) {
    long took = body.number("took").map(Number::longValue).orElse(0L);
    if (took < 0) {
      throw new RestError(400, "'took' in the body must be a number of milliseconds from 0.");
    }
    return Math.min(took, MAX_SUBMISSION_TIME.toMillis());
  }

  private static <T> T field(BodyFields body, String name, Function<String, T> parser) {
    return body.parsed(name, parser)
        .orElseThrow(() -> new RestError(400, "The body lacks the text field '" + name + "'."));
  }

  private CompletableFuture<RestResponse> collected(RestRequest call) {
    JobId id = call.job();
    String name = call.path("name");
    FetchCollected request = new FetchCollected(id, name, call.number("next", 0), call.waitTime());
    return call.dispatcher(dispatcher -> dispatcher.fetchCollected(request))
        .thenApply(
            collected -> {
              if (!collected.known()) {
                throw new RestError(
                    404, "Job " + id + " not found, or it has no collecting sink '" + name + "'.");
              }
              return batches(collected);
            });
  }

  private static RestResponse batches(CollectedPage page) {
    Buffer body = Buffer.buffer();
    for (Bytes batch : page.batches()) {
      body.appendInt(batch.length()).appendBytes(batch.unsafeArray());
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Millrace-First", String.valueOf(page.first()));
    headers.put("Millrace-Count", String.valueOf(page.batches().size()));
    headers.put("Millrace-Complete", String.valueOf(page.complete()));
    return RestResponse.bytes(headers, body);
  }

  private CompletableFuture<RestResponse> journal(RestRequest call) {
    JobId id = call.job();
    return call.dispatcher(dispatcher -> dispatcher.readJournal(new ReadJournal(id)))
        .thenCompose(
            journal -> {
              History known = journal.history();
              RestResponse events = RestResponse.ok(ExplainViews.journal(known));
              return known.events().isEmpty()
                  ? describe(call, id).thenApply(job -> events)
                  : CompletableFuture.completedFuture(events);
            });
  }
}
