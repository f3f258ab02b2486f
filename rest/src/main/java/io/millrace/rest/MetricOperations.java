package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.JobId;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.NamedMetrics;
import io.millrace.protocol.ThisProcess;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.NetworkUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The metrics of the JobManager, of TaskManagers and of jobs. Their paths come before those with an
 * id in place of {@code metrics}.
 */
final class MetricOperations {
  /** How many jobs are asked for in one request. */
  private static final int MAX_JOBS = 1000;

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            "/jobmanager/metrics",
            "Names of the JobManager's metrics, or the values of some (`?get=taskSlotsTotal,…`).",
            this::jobManager),
        Operation.flink(
            GET,
            "/taskmanagers/metrics",
            "Metrics over TaskManagers (`?get=…`, `&agg=min,max,avg,sum,skew`,"
                + " `&taskmanagers=id,…`).",
            this::taskManagers),
        Operation.flink(
            GET,
            "/taskmanagers/:taskmanagerid/metrics",
            "Names of one TaskManager's metrics, or the values of some (`?get=…`).",
            this::taskManager),
        Operation.flink(
            GET,
            "/jobs/metrics",
            "Metrics over running jobs (`?get=…`, `&agg=min,max,avg,sum,skew`, `&jobs=id,…`).",
            this::jobs),
        Operation.flink(
            GET,
            "/jobs/:jobid/metrics",
            "Names of a job's metrics, or the values of some (`?get=uptime,numRestarts`).",
            call ->
                JobOperations.describe(call, call.job())
                    .thenCompose(job -> ofJob(call, job))
                    .thenApply(
                        metrics -> RestResponse.ok(metrics.json(MetricSelection.of(call))))));
  }

  private CompletableFuture<RestResponse> jobManager(RestRequest call) {
    return ClusterOperations.workers(call)
        .thenCombine(
            call.dispatcher(dispatcher -> dispatcher.listJobs(new ListJobs())),
            (workers, jobs) -> {
              MetricTable metrics = MetricTable.of(ThisProcess.metrics(NetworkUse.NONE).named());
              NamedMetrics.ofCluster(workers, jobs.jobs()).forEach(metrics::put);
              return RestResponse.ok(metrics.json(MetricSelection.of(call)));
            });
  }

  private CompletableFuture<RestResponse> taskManagers(RestRequest call) {
    Optional<List<String>> ids = MetricSelection.list(call, "taskmanagers");
    return ClusterOperations.workers(call)
        .thenApply(
            workers ->
                RestResponse.ok(
                    MetricTable.aggregated(
                        workers.stream()
                            .filter(
                                worker ->
                                    ids.isEmpty() || ids.get().contains(worker.worker().value()))
                            .map(MetricOperations::ofWorker)
                            .toList(),
                        MetricSelection.of(call),
                        MetricSelection.aggregations(call))));
  }

  private CompletableFuture<RestResponse> taskManager(RestRequest call) {
    return ClusterOperations.worker(call)
        .thenApply(worker -> RestResponse.ok(ofWorker(worker).json(MetricSelection.of(call))));
  }

  private static MetricTable ofWorker(WorkerInfo worker) {
    return MetricTable.of(worker.metrics().namedOfTaskManager());
  }

  private CompletableFuture<RestResponse> jobs(RestRequest call) {
    return selected(call)
        .thenCompose(
            ids -> {
              List<CompletableFuture<Optional<MetricTable>>> answers = new ArrayList<>();
              ids.forEach(id -> answers.add(ofJob(call, id)));
              return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                  .thenApply(
                      all ->
                          RestResponse.ok(
                              MetricTable.aggregated(
                                  answers.stream()
                                      .map(CompletableFuture::join)
                                      .flatMap(Optional::stream)
                                      .toList(),
                                  MetricSelection.of(call),
                                  MetricSelection.aggregations(call))));
            });
  }

  /** The jobs of the query parameter; those that have not ended if it is absent. */
  private static CompletableFuture<List<JobId>> selected(RestRequest call) {
    Optional<List<String>> ids = MetricSelection.list(call, "jobs");
    if (ids.isPresent()) {
      if (ids.get().size() > MAX_JOBS) {
        throw new RestError(
            400, "Query parameter jobs has at most " + MAX_JOBS + " ids. Ask for fewer at a time.");
      }
      return CompletableFuture.completedFuture(
          ids.get().stream().map(MetricOperations::id).toList());
    }
    return call.dispatcher(dispatcher -> dispatcher.listJobs(new ListJobs()))
        .thenApply(
            jobs ->
                jobs.jobs().stream()
                    .filter(job -> !job.status().isTerminal())
                    .limit(MAX_JOBS)
                    .map(JobOverview::id)
                    .toList());
  }

  private static JobId id(String text) {
    try {
      return JobId.parse(text);
    } catch (IllegalArgumentException e) {
      throw new RestError(400, "Query parameter jobs: " + e.getMessage() + ".", e);
    }
  }

  /** The metrics of a job; empty if it is not known. */
  private static CompletableFuture<Optional<MetricTable>> ofJob(RestRequest call, JobId id) {
    return call.dispatcher(dispatcher -> dispatcher.describeJob(new DescribeJob(id)))
        .thenCompose(
            answer ->
                answer
                    .job()
                    .map(job -> ofJob(call, job).thenApply(Optional::of))
                    .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
  }

  private static CompletableFuture<MetricTable> ofJob(RestRequest call, JobDetails job) {
    return call.dispatcher(
            dispatcher -> dispatcher.listCheckpoints(new ListJobCheckpoints(job.id())))
        .thenApply(
            answer -> {
              CheckpointStatistics checkpoints =
                  answer.statistics().orElse(CheckpointStatistics.NONE);
              MetricTable metrics = MetricTable.of(NamedMetrics.of(job, checkpoints, call.now()));
              metrics.put(
                  "lastCheckpointExternalPath",
                  checkpoints
                      .latestCompleted()
                      .flatMap(checkpoint -> checkpoint.path())
                      .orElse("n/a"));
              return metrics;
            });
  }
}
