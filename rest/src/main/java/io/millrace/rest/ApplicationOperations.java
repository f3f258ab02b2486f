package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Operations on applications. Each submitted job is an application with the id of the job. */
final class ApplicationOperations {
  private static final int EXCEPTIONS_SHOWN = 20;
  private static final String APPLICATION = "/applications/:applicationid";

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            "/applications/overview",
            "All applications. Each job is one, with the id of the job.",
            this::overview),
        Operation.flink(GET, APPLICATION, "An application with its job.", this::details),
        Operation.flink(
            GET,
            APPLICATION + "/exceptions",
            "The failure that ended an application.",
            this::exceptions),
        Operation.flink(
            POST,
            APPLICATION + "/cancel",
            "Cancels an application, which cancels its job.",
            this::cancel));
  }

  private CompletableFuture<RestResponse> overview(RestRequest call) {
    return call.dispatcher(dispatcher -> dispatcher.listJobs(new ListJobs()))
        .thenApply(
            answer ->
                RestResponse.ok(
                    new JsonObject()
                        .put(
                            "applications",
                            Json.array(
                                answer.jobs(),
                                job -> ApplicationViews.overview(job, call.now())))));
  }

  private CompletableFuture<RestResponse> details(RestRequest call) {
    JobId id = call.application();
    return describe(call, id)
        .thenCombine(
            call.dispatcher(dispatcher -> dispatcher.listJobs(new ListJobs())),
            (job, jobs) -> {
              JobOverview overview =
                  jobs.jobs().stream()
                      .filter(known -> known.id().equals(id))
                      .findFirst()
                      .orElseThrow(() -> unknown(id));
              return RestResponse.ok(ApplicationViews.details(job, overview, call.now()));
            });
  }

  private CompletableFuture<RestResponse> exceptions(RestRequest call) {
    long most = call.number("maxExceptions", EXCEPTIONS_SHOWN);
    return describe(call, call.application())
        .thenApply(job -> RestResponse.ok(ApplicationViews.exceptions(job, most)));
  }

  private CompletableFuture<RestResponse> cancel(RestRequest call) {
    JobId id = call.application();
    return call.dispatcher(dispatcher -> dispatcher.cancelJob(new CancelJob(id)))
        .thenApply(
            reply ->
                switch (reply.outcome()) {
                  case ACCEPTED -> RestResponse.empty(202);
                  case NOT_FOUND -> throw unknown(id);
                  case ENDED ->
                      throw new RestError(
                          409, "Application " + id + " has already ended and cannot be cancelled.");
                });
  }

  static CompletableFuture<JobDetails> describe(RestRequest call, JobId id) {
    return call.dispatcher(dispatcher -> dispatcher.describeJob(new DescribeJob(id)))
        .thenApply(answer -> answer.job().orElseThrow(() -> unknown(id)));
  }

  private static RestError unknown(JobId id) {
    return new RestError(404, "There is no application " + id + ".");
  }
}
