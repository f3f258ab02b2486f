package io.millrace.control.dispatcher;

import io.millrace.control.jobmaster.JobMasterRunner;
import io.millrace.control.jobmaster.JobTermination;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.CancelExecution;
import io.millrace.protocol.JobMasterGateway.DescribeExecution;
import io.millrace.protocol.JobMasterGateway.OverviewExecution;
import io.millrace.protocol.JobOverview;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A job between its submission and its place in the archive. Lives in the Dispatcher's mailbox. */
final class RunningJob {
  final SubmitJob submission;
  final long startedAt;

  /** Completes when the job is in the archive. */
  final CompletableFuture<JobTermination> archived = new CompletableFuture<>();

  Optional<JobGraph> graph = Optional.empty();
  Optional<JobMasterRunner> runner = Optional.empty();

  /** Somebody wanted it to end, perhaps before it could run. */
  Optional<CancelExecution> cancellation = Optional.empty();

  /** How it ended, while that is still being written down. */
  Optional<JobTermination> end = Optional.empty();

  RunningJob(SubmitJob submission, long startedAt) {
    this.submission = submission;
    this.startedAt = startedAt;
  }

  JobId id() {
    return submission.job();
  }

  /** Everything that was stored to run it. */
  Set<BlobKey> blobs() {
    return JobStorage.blobs(submission, graph);
  }

  /**
   * Has it end, now and whoever comes to lead it. Completes when its JobMaster has taken it, at
   * once where there is none that serves.
   */
  CompletableFuture<Acknowledge> cancel(CancelExecution request, Mailbox caller, Duration timeout) {
    cancellation = Optional.of(request);
    return runner
        .map(running -> running.cancel(request, caller, timeout))
        .orElseGet(() -> CompletableFuture.completedFuture(Acknowledge.INSTANCE));
  }

  /** Its JobMaster, while it has one that goes on. */
  Optional<JobMasterGateway> jobMaster(Mailbox caller, Duration timeout) {
    return end.isPresent()
        ? Optional.empty()
        : runner.flatMap(running -> running.gateway(caller, timeout));
  }

  /** A line about it; for a job whose graph is known. */
  CompletableFuture<JobOverview> overview(Mailbox caller, Duration timeout) {
    return jobMaster(caller, timeout)
        .map(
            jobMaster ->
                jobMaster
                    .overview(new OverviewExecution())
                    .exceptionally(failure -> resting().overview()))
        .orElseGet(() -> CompletableFuture.completedFuture(resting().overview()));
  }

  /** Everything about it; for a job whose graph is known. */
  CompletableFuture<JobDetails> details(Mailbox caller, Duration timeout) {
    return jobMaster(caller, timeout)
        .map(
            jobMaster ->
                jobMaster
                    .describe(new DescribeExecution())
                    .exceptionally(failure -> resting().details()))
        .orElseGet(() -> CompletableFuture.completedFuture(resting().details()));
  }

  /** What is known while no JobMaster answers for it. */
  private Seen resting() {
    return end.map(known -> new Seen(known.overview(), known.details()))
        .orElseGet(
            () -> {
              JobPlaceholder placeholder =
                  JobPlaceholder.initializing(graph.orElseThrow(), startedAt);
              return new Seen(placeholder.overview(), placeholder.details());
            });
  }

  private record Seen(JobOverview overview, JobDetails details) {}
}
