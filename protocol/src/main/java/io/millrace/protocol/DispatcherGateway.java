package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.error.Failure;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.journal.History;
import io.millrace.task.TaskMetricReadings;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Accepts jobs and manages all of them. Fenced. */
public interface DispatcherGateway extends Gateway {

  /**
   * Stores the job, then acknowledges. Fails, with different messages, for a running job and for an
   * ended one.
   */
  CompletableFuture<Acknowledge> submitJob(SubmitJob submission);

  /** Starts the cancellation of a job. */
  CompletableFuture<CancelReply> cancelJob(CancelJob request);

  /**
   * A heartbeat of the client of a job. A job with a client time-out is cancelled if no heartbeat
   * arrives for that time; for other jobs this has no effect.
   */
  CompletableFuture<ClientReply> hearClient(ClientHeartbeat heartbeat);

  CompletableFuture<Jobs> listJobs(ListJobs request);

  CompletableFuture<JobAnswer> describeJob(DescribeJob request);

  /** Completes when the job has ended, or without a result after the given time. */
  CompletableFuture<ResultAnswer> awaitResult(AwaitResult request);

  /** The collected records of a job; see {@link CollectedPage}. */
  CompletableFuture<CollectedPage> fetchCollected(FetchCollected request);

  /** The journal of a job, also of an ended one while it is archived. */
  CompletableFuture<JobEvents> readJournal(ReadJournal request);

  /**
   * Starts a checkpoint, a savepoint or a stop with a savepoint. The outcome is in {@link
   * CheckpointStatistics#operations}. A repeated request with the same operation has no effect.
   */
  CompletableFuture<StartReply> startCheckpoint(StartJobCheckpoint request);

  /** The checkpoints of a job without subtasks, also of an ended job while it is archived. */
  CompletableFuture<CheckpointsAnswer> listCheckpoints(ListJobCheckpoints request);

  /** One checkpoint with its subtasks. */
  CompletableFuture<CheckpointAnswer> describeCheckpoint(DescribeJobCheckpoint request);

  /**
   * Starts to delete the files of a savepoint, or of a checkpoint of a job that does not run. A
   * repeated request with the same operation has no effect.
   */
  CompletableFuture<Acknowledge> disposeSavepoint(DisposeSavepoint request);

  /** The outcome of a disposal. */
  CompletableFuture<DisposalAnswer> askDisposal(AskDisposal request);

  /**
   * The metrics that functions and operators of a vertex have registered. They are at most as old
   * as {@code metrics.fetcher.update-interval}, unless a TaskManager does not answer.
   */
  CompletableFuture<JobMetrics> readJobMetrics(ReadJobMetrics request);

  /** Ends the cluster: its jobs are cancelled and the JobManager process exits. */
  CompletableFuture<Acknowledge> shutDown(ShutDown request);

  /**
   * @param graph the encoded {@link io.millrace.graph.JobGraph}; it and the jars it names are in
   *     the blob store
   */
  record SubmitJob(JobId job, BlobKey graph) {
    public SubmitJob {
      Objects.requireNonNull(job);
      Objects.requireNonNull(graph);
    }
  }

  record CancelJob(JobId job) {
    public CancelJob {
      Objects.requireNonNull(job);
    }
  }

  record CancelReply(CancelOutcome outcome) {
    public CancelReply {
      Objects.requireNonNull(outcome);
    }
  }

  enum CancelOutcome {
    ACCEPTED,
    NOT_FOUND,
    /** The job had already ended. */
    ENDED
  }

  record ClientHeartbeat(JobId job) {
    public ClientHeartbeat {
      Objects.requireNonNull(job);
    }
  }

  /**
   * @param known whether the job is known
   * @param expected whether further heartbeats are expected: the job runs and has a client time-out
   */
  record ClientReply(boolean known, boolean expected) {}

  record ListJobs() {}

  record Jobs(List<JobOverview> jobs) {
    public Jobs {
      jobs = OrderedCopies.list(jobs);
    }
  }

  record DescribeJob(JobId job) {
    public DescribeJob {
      Objects.requireNonNull(job);
    }
  }

  record JobAnswer(Optional<JobDetails> job) {
    public JobAnswer {
      Objects.requireNonNull(job);
    }
  }

  record AwaitResult(JobId job, Duration patience) {
    public AwaitResult {
      Objects.requireNonNull(job);
      Objects.requireNonNull(patience);
    }
  }

  /**
   * @param known whether the job is known
   */
  record ResultAnswer(boolean known, Optional<JobResult> result) {
    public ResultAnswer {
      Objects.requireNonNull(result);
    }
  }

  /**
   * @param next number of the first requested batch; earlier batches are acknowledged and dropped
   */
  record FetchCollected(JobId job, String name, long next, Duration patience) {
    public FetchCollected {
      Objects.requireNonNull(job);
      Objects.requireNonNull(name);
      Objects.requireNonNull(patience);
    }
  }

  /**
   * Consecutive batches of collected records.
   *
   * @param first number of the first batch of this page
   * @param complete whether no batch follows
   */
  record CollectedPage(boolean known, long first, List<Bytes> batches, boolean complete) {
    public CollectedPage {
      batches = OrderedCopies.list(batches);
    }
  }

  record ReadJournal(JobId job) {
    public ReadJournal {
      Objects.requireNonNull(job);
    }
  }

  record JobEvents(History history) {
    public JobEvents {
      Objects.requireNonNull(history);
    }
  }

  record ReadJobMetrics(JobId job, VertexId vertex) {
    public ReadJobMetrics {
      Objects.requireNonNull(job);
      Objects.requireNonNull(vertex);
    }
  }

  /**
   * @param tasks those of the latest attempts that have metrics; none if the job does not run
   */
  record JobMetrics(List<TaskMetricReadings> tasks) {
    public JobMetrics {
      tasks = OrderedCopies.list(tasks);
    }
  }

  record ShutDown() {}

  /**
   * @param operation chosen by the caller
   * @param directory of a savepoint; empty for the configured one
   */
  record StartJobCheckpoint(
      JobId job, Id128 operation, CheckpointRequest.Type type, Optional<String> directory) {
    public StartJobCheckpoint {
      Objects.requireNonNull(job);
      Objects.requireNonNull(operation);
      Objects.requireNonNull(type);
      Objects.requireNonNull(directory);
    }
  }

  record StartReply(StartOutcome outcome) {
    public StartReply {
      Objects.requireNonNull(outcome);
    }
  }

  enum StartOutcome {
    ACCEPTED,
    NOT_FOUND,
    /** No JobMaster runs the job yet, or at the moment. */
    NOT_STARTED,
    /** The job has ended. */
    ENDED
  }

  record ListJobCheckpoints(JobId job) {
    public ListJobCheckpoints {
      Objects.requireNonNull(job);
    }
  }

  /**
   * @param statistics empty if the job is not known
   */
  record CheckpointsAnswer(Optional<CheckpointStatistics> statistics) {
    public CheckpointsAnswer {
      Objects.requireNonNull(statistics);
    }
  }

  record DescribeJobCheckpoint(JobId job, long number) {
    public DescribeJobCheckpoint {
      Objects.requireNonNull(job);
    }
  }

  /**
   * @param checkpoint empty if the job or the checkpoint is not known
   */
  record CheckpointAnswer(Optional<CheckpointRecord> checkpoint) {
    public CheckpointAnswer {
      Objects.requireNonNull(checkpoint);
    }
  }

  /**
   * @param operation chosen by the caller
   * @param path the directory, or the metadata file in it
   */
  record DisposeSavepoint(Id128 operation, String path) {
    public DisposeSavepoint {
      Objects.requireNonNull(operation);
      Objects.requireNonNull(path);
    }
  }

  record AskDisposal(Id128 operation) {
    public AskDisposal {
      Objects.requireNonNull(operation);
    }
  }

  /**
   * @param known whether the operation is known
   * @param done whether the files are deleted, or cannot be
   */
  record DisposalAnswer(boolean known, boolean done, Optional<Failure> failure) {
    public DisposalAnswer {
      Objects.requireNonNull(failure);
    }
  }
}
