package io.millrace.cluster;

import io.millrace.core.id.JobId;
import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricSource;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.NamedMetrics;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.ThisProcess;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.NetworkUse;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * All metrics of a JobManager, with the scopes and labels of Flink. Those of the cluster and its
 * jobs are there while some JobManager leads; without a leader only those of the process are.
 */
final class JobManagerMetrics implements MetricSource, AutoCloseable {
  private static final List<String> PROCESS = List.of("jobmanager");
  private static final List<String> JOB = List.of("jobmanager", "job");

  /** How many jobs are asked for at a time. */
  private static final int MAX_JOBS = 1000;

  private final Map<String, String> labels = new LinkedHashMap<>();
  private final Rpc rpc;
  private final Mailbox mailbox;
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private final LeaderGateway<ResourceManagerGateway> resourceManager;

  JobManagerMetrics(String host, Rpc rpc, LeaderRetrieval leaders) {
    labels.put("host", host);
    this.rpc = rpc;
    this.mailbox = rpc.env().mailbox("metrics");
    this.dispatcher =
        new LeaderGateway<>(
            rpc, leaders, DispatcherGateway.class, ComponentNames.DISPATCHER, mailbox);
    this.resourceManager =
        new LeaderGateway<>(
            rpc, leaders, ResourceManagerGateway.class, ComponentNames.RESOURCE_MANAGER, mailbox);
  }

  @Override
  public CompletableFuture<List<MetricSample>> read() {
    List<MetricSample> own = new ArrayList<>();
    add(own, PROCESS, labels, ThisProcess.metrics(NetworkUse.NONE).named());
    return resourceManager
        .find()
        .thenCompose(manager -> manager.listWorkers(new ListWorkers()))
        .thenCombine(dispatcher.find(), (workers, leader) -> ofCluster(workers.workers(), leader))
        .thenCompose(samples -> samples)
        .handle(
            (samples, withoutLeader) -> {
              if (samples != null) {
                own.addAll(samples);
              }
              return own;
            });
  }

  private CompletableFuture<List<MetricSample>> ofCluster(
      List<WorkerInfo> workers, DispatcherGateway leader) {
    return leader
        .listJobs(new ListJobs())
        .thenCompose(
            jobs -> {
              List<MetricSample> samples = new ArrayList<>();
              add(samples, PROCESS, labels, NamedMetrics.ofCluster(workers, jobs.jobs()));
              CompletableFuture<List<MetricSample>> all =
                  CompletableFuture.completedFuture(samples);
              List<JobId> running =
                  jobs.jobs().stream()
                      .filter(job -> !job.status().isTerminal())
                      .limit(MAX_JOBS)
                      .map(JobOverview::id)
                      .toList();
              for (JobId job : running) {
                all =
                    all.thenCombine(
                        ofJob(job, leader),
                        (known, more) -> {
                          known.addAll(more);
                          return known;
                        });
              }
              return all;
            });
  }

  private CompletableFuture<List<MetricSample>> ofJob(JobId id, DispatcherGateway leader) {
    return leader
        .describeJob(new DescribeJob(id))
        .thenCombine(
            leader.listCheckpoints(new ListJobCheckpoints(id)),
            (details, checkpoints) -> {
              List<MetricSample> samples = new ArrayList<>();
              details
                  .job()
                  .ifPresent(
                      job ->
                          add(
                              samples,
                              JOB,
                              labelsOf(job),
                              NamedMetrics.of(
                                  job,
                                  checkpoints.statistics().orElse(CheckpointStatistics.NONE),
                                  rpc.env().wallMillis())));
              return samples;
            });
  }

  private Map<String, String> labelsOf(JobDetails job) {
    Map<String, String> ofJob = new LinkedHashMap<>(labels);
    ofJob.put("job_id", job.id().toString());
    ofJob.put("job_name", job.graph().name());
    return ofJob;
  }

  private static void add(
      List<MetricSample> samples,
      List<String> scope,
      Map<String, String> labels,
      Map<String, Number> named) {
    named.forEach((name, value) -> samples.add(MetricSamples.of(scope, name, labels, value)));
  }

  @Override
  public void close() {
    dispatcher.close();
    resourceManager.close();
    mailbox.close();
  }
}
