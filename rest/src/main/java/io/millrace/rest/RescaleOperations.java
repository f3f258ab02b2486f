package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.PUT;

import io.millrace.core.id.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Operations that change the parallelism of a running job. The scheduler does not rescale a job in
 * place, so that they answer like Flink with its default scheduler.
 */
final class RescaleOperations {
  private static final String INSTEAD =
      " Stop the job with a savepoint and start it from there with another parallelism.";

  List<Operation> table() {
    List<Operation> table = new ArrayList<>();
    String requirements = "/jobs/:jobid/resource-requirements";
    table.add(
        Operation.flink(
            GET,
            requirements,
            "Bounds of the parallelism. Answers 500: jobs are not rescaled in place.",
            rejecting(500, RescaleOperations::notInPlace)));
    table.add(
        Operation.flink(
            PUT,
            requirements,
            "Changes the bounds of the parallelism. Answers 500: jobs are not rescaled in place.",
            this::changeRequirements));
    for (String path :
        List.of("config", "overview", "history", "summary", "details/:rescaleuuid")) {
      table.add(
          Operation.flink(
              GET,
              "/jobs/:jobid/rescales/" + path,
              "Past rescales of an adaptive scheduler. Answers 404: there is none.",
              rejecting(404, RescaleOperations::noHistory)));
    }
    table.add(
        Operation.flink(
            PATCH,
            "/jobs/:jobid/rescaling",
            "Rescales a job. Answers 503, as Flink does.",
            RescaleOperations::disabled));
    table.add(
        Operation.flink(
            GET,
            "/jobs/:jobid/rescaling/:triggerid",
            "The outcome of a rescale. Answers 503, as Flink does.",
            RescaleOperations::disabled));
    return table;
  }

  private static Function<RestRequest, CompletableFuture<RestResponse>> rejecting(
      int status, Function<JobId, String> sentence) {
    return call -> {
      JobId id = call.job();
      return JobOperations.describe(call, id)
          .thenApply(
              job -> {
                throw new RestError(status, sentence.apply(id));
              });
    };
  }

  private CompletableFuture<RestResponse> changeRequirements(RestRequest call) {
    call.job(); // A wrong id is named before a wrong body.
    return call.json()
        .thenCompose(
            body -> {
              if (body.isEmpty()) {
                throw new RestError(400, "The body has no vertices with bounds of parallelism.");
              }
              return rejecting(500, RescaleOperations::notInPlace).apply(call);
            });
  }

  private static String notInPlace(JobId job) {
    return "The parallelism of job " + job + " cannot change while it runs." + INSTEAD;
  }

  private static String noHistory(JobId job) {
    return "Job " + job + " has no rescales, because its scheduler is not an adaptive one.";
  }

  private static CompletableFuture<RestResponse> disabled(RestRequest call) {
    throw new RestError(503, "Job " + call.job() + " cannot be rescaled here." + INSTEAD);
  }
}
