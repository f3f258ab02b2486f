package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.journal.History;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Takes jobs and knows them all. Fenced. */
public interface DispatcherGateway extends Gateway {

  /**
   * Persists the job, then acknowledges. Fails for a job that runs already and, with another
   * message, for one that has ended already.
   */
  CompletableFuture<Acknowledge> submitJob(SubmitJob submission);

  /** Begins to cancel a job. */
  CompletableFuture<CancelReply> cancelJob(CancelJob request);

  /**
   * The client of a job lives. A job whose client is not heard of for the time that its graph gives
   * is cancelled; for others this changes nothing.
   */
  CompletableFuture<ClientReply> hearClient(ClientHeartbeat heartbeat);

  CompletableFuture<Jobs> listJobs(ListJobs request);

  CompletableFuture<JobAnswer> describeJob(DescribeJob request);

  /** Answers when the job has ended, or after the given wait with nothing. */
  CompletableFuture<ResultAnswer> awaitResult(AwaitResult request);

  /** What the job's collecting sinks have handed over; see {@link CollectedPage}. */
  CompletableFuture<CollectedPage> fetchCollected(FetchCollected request);

  /** The journal of a job, also of one that has ended, for as long as it is remembered. */
  CompletableFuture<JobEvents> readJournal(ReadJournal request);

  /** Ends the cluster: its jobs are cancelled and the JobManager process exits. */
  CompletableFuture<Acknowledge> shutDown(ShutDown request);

  /**
   * @param graph the job's encoded {@link io.millrace.graph.JobGraph}, already in the blob store,
   *     as are the jars it names
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
    /** It had ended before. */
    ENDED
  }

  record ClientHeartbeat(JobId job) {
    public ClientHeartbeat {
      Objects.requireNonNull(job);
    }
  }

  /**
   * @param known whether there is such a job
   * @param expected whether the client should go on: the job runs and ends with it
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
   * @param known false where there is no such job
   */
  record ResultAnswer(boolean known, Optional<JobResult> result) {
    public ResultAnswer {
      Objects.requireNonNull(result);
    }
  }

  /**
   * @param next number of the first batch wanted; what is before it is acknowledged and dropped
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
   * @param first number of the first batch in here
   * @param complete whether nothing comes after these
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

  record ShutDown() {}
}
