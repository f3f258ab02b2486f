package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.PATCH;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.Jobs;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ShutDown;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Operations on the whole cluster and on TaskManagers. */
final class ClusterOperations {
  private final BuildInfo build;
  private final boolean acceptsPrograms;

  /**
   * @param acceptsPrograms whether clients can submit programs and jobs
   */
  ClusterOperations(BuildInfo build, boolean acceptsPrograms) {
    this.build = build;
    this.acceptsPrograms = acceptsPrograms;
  }

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET, "/config", "Settings of the dashboard, version and time zone.", this::config),
        Operation.flink(
            GET, "/overview", "Numbers of TaskManagers, slots and jobs.", this::overview),
        Operation.flink(
            GET, "/taskmanagers", "All TaskManagers with their slots.", this::taskManagers),
        Operation.flink(
            GET,
            "/taskmanagers/:taskmanagerid",
            "One TaskManager with allocated slots and process metrics.",
            this::taskManager),
        Operation.flink(
            DELETE,
            "/cluster",
            "Shuts the cluster down: jobs are cancelled, the JobManager ends.",
            this::shutDown),
        Operation.extension(
            PATCH,
            "/taskmanagers",
            "Changes the maximum number of TaskManagers of a cluster that starts them (`?most=n`).",
            this::limit));
  }

  private CompletableFuture<RestResponse> config(RestRequest call) {
    return CompletableFuture.completedFuture(
        RestResponse.ok(
            Dashboard.ofCluster(
                build, call.now(), acceptsPrograms, call.settings().web().refreshInterval())));
  }

  private CompletableFuture<RestResponse> overview(RestRequest call) {
    return call.dispatcher(dispatcher -> dispatcher.listJobs(new ListJobs()))
        .thenCombine(
            workers(call),
            (jobs, workers) ->
                RestResponse.ok(
                    new JsonObject()
                        .put("taskmanagers", workers.size())
                        .put("slots-total", workers.stream().mapToInt(WorkerInfo::slots).sum())
                        .put(
                            "slots-available",
                            workers.stream().mapToInt(WorkerInfo::freeSlots).sum())
                        .put("jobs-running", count(jobs, status -> !status.isTerminal()))
                        .put("jobs-finished", count(jobs, JobStatus.FINISHED::equals))
                        .put("jobs-cancelled", count(jobs, JobStatus.CANCELED::equals))
                        .put("jobs-failed", count(jobs, JobStatus.FAILED::equals))
                        .put("flink-version", build.version())
                        .put("flink-commit", build.commit())));
  }

  private static long count(Jobs jobs, Predicate<JobStatus> which) {
    return jobs.jobs().stream().filter(job -> which.test(job.status())).count();
  }

  private CompletableFuture<RestResponse> taskManagers(RestRequest call) {
    return workers(call)
        .thenCompose(
            workers ->
                jobsOn(call, workers)
                    .thenApply(
                        jobs ->
                            RestResponse.ok(
                                new JsonObject()
                                    .put(
                                        "taskmanagers",
                                        Json.array(
                                            workers,
                                            worker -> WorkerViews.overview(worker, jobs))))));
  }

  private CompletableFuture<RestResponse> taskManager(RestRequest call) {
    return worker(call)
        .thenCompose(
            worker ->
                jobsOn(call, List.of(worker))
                    .thenApply(jobs -> RestResponse.ok(WorkerViews.details(worker, jobs))));
  }

  /** The TaskManager that the path names. */
  static CompletableFuture<WorkerInfo> worker(RestRequest call) {
    String id = call.path("taskmanagerid");
    return workers(call)
        .thenApply(
            workers ->
                workers.stream()
                    .filter(known -> known.worker().value().equals(id))
                    .findFirst()
                    .orElseThrow(
                        () -> new RestError(404, "There is no TaskManager '" + id + "'.")));
  }

  private CompletableFuture<RestResponse> limit(RestRequest call) {
    long most = call.number("most", 0);
    if (most < 1 || most > Integer.MAX_VALUE) {
      throw new RestError(
          400,
          "Query parameter most must be a number from 1 to "
              + Integer.MAX_VALUE
              + ": the maximum number of TaskManagers.");
    }
    return call.resourceManager(manager -> manager.limitWorkers(new LimitWorkers((int) most)))
        .thenApply(done -> RestResponse.empty(200));
  }

  private CompletableFuture<RestResponse> shutDown(RestRequest call) {
    return call.dispatcher(dispatcher -> dispatcher.shutDown(new ShutDown()))
        .thenApply(done -> RestResponse.empty(200));
  }

  static CompletableFuture<List<WorkerInfo>> workers(RestRequest call) {
    return call.resourceManager(manager -> manager.listWorkers(new ListWorkers()))
        .thenApply(answer -> answer.workers());
  }

  /** The jobs that have slots on these workers. Only jobs know where their tasks run. */
  private static CompletableFuture<List<JobDetails>> jobsOn(
      RestRequest call, List<WorkerInfo> workers) {
    List<JobId> ids =
        workers.stream()
            .flatMap(worker -> worker.slotsInUse().stream())
            .map(SlotInUse::job)
            .distinct()
            .toList();
    CompletableFuture<List<JobDetails>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (JobId id : ids) {
      all =
          all.thenCombine(
              call.dispatcher(dispatcher -> dispatcher.describeJob(new DescribeJob(id))),
              (known, answer) -> {
                answer.job().ifPresent(known::add);
                return known;
              });
    }
    return all;
  }
}
