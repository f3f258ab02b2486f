package io.millrace.control.dispatcher;

import io.millrace.control.jobmaster.JobMasterRunner;
import io.millrace.control.jobmaster.JobTermination;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway.CheckpointAnswer;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.protocol.JobMasterGateway.DescribeCheckpoint;
import io.millrace.protocol.JobMasterGateway.DescribeExecution;
import io.millrace.protocol.JobMasterGateway.ListCheckpoints;
import io.millrace.protocol.JobMasterGateway.OverviewExecution;
import io.millrace.protocol.JobMasterGateway.ReadMetrics;
import io.millrace.protocol.JobOverview;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A job from its submission until it is archived. Confined to the Dispatcher's mailbox. */
final class RunningJob {
  final SubmitJob submission;
  final long startedAt;

  /** Completes when the job is archived. */
  final CompletableFuture<JobTermination> archived = new CompletableFuture<>();

  /** Completes when the stored data of the archived job is removed, or cannot be removed. */
  final CompletableFuture<Acknowledge> cleanedUp = new CompletableFuture<>();

  Optional<JobGraph> graph = Optional.empty();
  Optional<JobMasterRunner> runner = Optional.empty();

  /** The request to cancel the job, which may arrive before its JobMaster runs. */
  Optional<CancelExecution> cancellation = Optional.empty();

  /** The end of the job, while it is being stored and archived. */
  Optional<JobTermination> end = Optional.empty();

  /** Whether the job ended under an earlier leader, which may have archived its details. */
  boolean endedBefore;

  RunningJob(SubmitJob submission, long startedAt) {
    this.submission = submission;
    this.startedAt = startedAt;
  }

  JobId id() {
    return submission.job();
  }

  /**
   * Cancels the job under this and later JobMasters. Completes when the JobMaster has accepted the
   * cancellation, or at once if no JobMaster runs.
   */
  CompletableFuture<Acknowledge> cancel(CancelExecution request, Mailbox caller, Duration timeout) {
    cancellation = Optional.of(request);
    return runner
        .map(running -> running.cancel(request, caller, timeout))
        .orElseGet(() -> CompletableFuture.completedFuture(Acknowledge.INSTANCE));
  }

  /** The JobMaster, unless the job has ended or no JobMaster runs. */
  Optional<JobMasterGateway> jobMaster(Mailbox caller, Duration timeout) {
    return end.isPresent()
        ? Optional.empty()
        : runner.flatMap(running -> running.gateway(caller, timeout));
  }

  /** The overview of a job whose graph is known. */
  CompletableFuture<JobOverview> overview(Mailbox caller, Duration timeout) {
    return jobMaster(caller, timeout)
        .map(
            jobMaster ->
                jobMaster
                    .overview(new OverviewExecution())
                    .exceptionally(failure -> withoutJobMaster().overview()))
        .orElseGet(() -> CompletableFuture.completedFuture(withoutJobMaster().overview()));
  }

  /** The details of a job whose graph is known. */
  CompletableFuture<JobDetails> details(Mailbox caller, Duration timeout) {
    return jobMaster(caller, timeout)
        .map(
            jobMaster ->
                jobMaster
                    .describe(new DescribeExecution())
                    .exceptionally(failure -> withoutJobMaster().details()))
        .orElseGet(() -> CompletableFuture.completedFuture(withoutJobMaster().details()));
  }

  /** The metrics of a vertex; none if no JobMaster runs. */
  CompletableFuture<JobMetrics> metrics(VertexId vertex, Mailbox caller, Duration timeout) {
    return jobMaster(caller, timeout)
        .map(jobMaster -> jobMaster.readMetrics(new ReadMetrics(vertex)))
        .orElseGet(() -> CompletableFuture.completedFuture(new JobMetrics(List.of())));
  }

  /** The checkpoints of the job without subtasks. */
  CompletableFuture<CheckpointStatistics> checkpoints(Mailbox caller, Duration timeout) {
    return jobMaster(caller, timeout)
        .map(jobMaster -> jobMaster.listCheckpoints(new ListCheckpoints()))
        .orElseGet(() -> CompletableFuture.completedFuture(checkpointsAtEnd().withoutVertices()));
  }

  /** One checkpoint of the job. */
  CompletableFuture<CheckpointAnswer> checkpoint(long number, Mailbox caller, Duration timeout) {
    return jobMaster(caller, timeout)
        .map(jobMaster -> jobMaster.describeCheckpoint(new DescribeCheckpoint(number)))
        .orElseGet(
            () ->
                CompletableFuture.completedFuture(
                    new CheckpointAnswer(checkpointsAtEnd().find(number))));
  }

  private CheckpointStatistics checkpointsAtEnd() {
    return end.map(JobTermination::checkpoints).orElse(CheckpointStatistics.NONE);
  }

  /** The state that is shown if no JobMaster answers. */
  private Snapshot withoutJobMaster() {
    return end.map(known -> new Snapshot(known.overview(), known.details()))
        .orElseGet(
            () -> {
              JobPlaceholder placeholder =
                  JobPlaceholder.initializing(graph.orElseThrow(), startedAt);
              return new Snapshot(placeholder.overview(), placeholder.details());
            });
  }

  private record Snapshot(JobOverview overview, JobDetails details) {}
}
