package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.ResourceManagerGateway.DescribeDataSet;
import io.millrace.protocol.ResourceManagerGateway.ListDataSets;
import io.millrace.protocol.ResourceManagerGateway.ReleaseDataSet;
import io.millrace.rpc.Acknowledge;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Cached data sets, which later jobs read. */
final class DataSetOperations {
  /** The number of deletions whose outcome is kept. The oldest ones are dropped first. */
  private static final int MAX_DELETIONS = 100;

  private final RandomGenerator random;
  private final Map<Id128, CompletableFuture<Acknowledge>> deletions = new LinkedHashMap<>();

  /**
   * @param random draws the ids of deletions
   */
  DataSetOperations(RandomGenerator random) {
    this.random = random;
  }

  List<Operation> table() {
    return List.of(
        Operation.flink(GET, "/datasets", "Cached data sets.", this::list),
        Operation.flink(
            DELETE,
            "/datasets/:datasetid",
            "Deletes a cached data set; `?wait=ms` waits for the deletion.",
            this::delete),
        Operation.flink(
            GET,
            "/datasets/delete/:triggerid",
            "The outcome of the deletion of a cached data set.",
            this::deletion),
        Operation.extension(
            GET,
            "/datasets/:datasetid",
            "A cached data set: the job that computed it, and the TaskManagers that have it.",
            this::describe));
  }

  private CompletableFuture<RestResponse> list(RestRequest call) {
    return call.resourceManager(manager -> manager.listDataSets(new ListDataSets()))
        .thenApply(
            answer ->
                RestResponse.ok(
                    new JsonObject()
                        .put(
                            "dataSets",
                            Json.array(
                                answer.dataSets(),
                                entry ->
                                    new JsonObject()
                                        .put("id", entry.id().toString())
                                        .put("isComplete", entry.complete())))));
  }

  private CompletableFuture<RestResponse> describe(RestRequest call) {
    DataSetId id = call.dataSet();
    return call.resourceManager(manager -> manager.describeDataSet(new DescribeDataSet(id)))
        .thenApply(
            answer ->
                RestResponse.ok(
                    view(
                        answer
                            .dataSet()
                            .orElseThrow(
                                () -> new RestError(404, "There is no data set " + id + ".")))));
  }

  private static JsonObject view(DataSetInfo dataSet) {
    return new JsonObject()
        .put("id", dataSet.id().toString())
        .put("isComplete", dataSet.isComplete())
        .put("producer", dataSet.producer().toString())
        .put("term", dataSet.term())
        .put("numPartitions", dataSet.total())
        .put(
            "partitions",
            Json.array(
                dataSet.partitions(),
                placed ->
                    new JsonObject()
                        .put("index", placed.index())
                        .put("taskmanager", placed.worker().value())
                        .put("dataAddress", placed.dataAddress())));
  }

  private CompletableFuture<RestResponse> delete(RestRequest call) {
    DataSetId id = call.dataSet();
    Duration wait = call.waitTime();
    CompletableFuture<Acknowledge> deleted =
        call.resourceManager(manager -> manager.releaseDataSet(new ReleaseDataSet(id)));
    RestResponse reply =
        RestResponse.json(202, new JsonObject().put("request-id", register(deleted).toString()));
    return call.onEventLoop(
        deleted
            .copy()
            .handle((done, failure) -> reply)
            .completeOnTimeout(reply, wait.toMillis(), TimeUnit.MILLISECONDS));
  }

  private synchronized Id128 register(CompletableFuture<Acknowledge> deletion) {
    Id128 trigger = Id128.random(random);
    deletions.put(trigger, deletion);
    if (deletions.size() > MAX_DELETIONS) {
      deletions.remove(deletions.keySet().iterator().next());
    }
    return trigger;
  }

  private CompletableFuture<RestResponse> deletion(RestRequest call) {
    Id128 trigger = call.trigger();
    CompletableFuture<Acknowledge> deletion = find(trigger);
    if (!deletion.isDone()) {
      return CompletableFuture.completedFuture(
          RestResponse.ok(
              new JsonObject()
                  .put("status", new JsonObject().put("id", "IN_PROGRESS"))
                  .putNull("operation")));
    }
    return deletion.handle(
        (done, failure) ->
            RestResponse.ok(
                new JsonObject()
                    .put("status", new JsonObject().put("id", "COMPLETED"))
                    .put("operation", failure == null ? new JsonObject() : operation(failure))));
  }

  private synchronized CompletableFuture<Acknowledge> find(Id128 trigger) {
    return Optional.ofNullable(deletions.get(trigger))
        .orElseThrow(
            () ->
                new RestError(
                    404, "No deletion of a data set is known by the id " + trigger + "."));
  }

  private static JsonObject operation(Throwable failure) {
    Throwable cause = Failure.unwrap(failure);
    return new JsonObject()
        .put(
            "failure-cause",
            new JsonObject()
                .put("class", cause.getClass().getName())
                .put("stack-trace", Failure.sentence(cause))
                .put(
                    "serialized-throwable",
                    FlinkObjects.throwable(Failure.of(cause, ErrorKind.BUG))));
  }
}
