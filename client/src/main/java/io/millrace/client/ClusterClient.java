package io.millrace.client;

import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The requests of a client to a cluster. Calls block, fail with a {@link
 * io.millrace.core.error.MillraceException}, and are safe for use by several threads.
 */
public interface ClusterClient extends AutoCloseable {
  /** The address of the cluster for messages: {@code 127.0.0.1:8081} or {@code this process}. */
  String address();

  /**
   * Uploads the jars, adds them to the graph and submits it. Returns when the cluster has accepted
   * the job; an error means that it has not.
   */
  void submit(JobGraph graph, List<Path> jars);

  /** All jobs that the cluster knows, including recently ended ones. */
  List<JobOverview> jobs();

  /** One of {@link #jobs()}; empty if the cluster does not know the job. */
  default Optional<JobOverview> job(JobId job) {
    return jobs().stream().filter(known -> known.id().equals(job)).findFirst();
  }

  /**
   * Waits for the end of a job; empty if it has not ended after this time. An unknown job is an
   * error.
   */
  Optional<JobResult> awaitResult(JobId job, Duration maxWait);

  CancelOutcome cancel(JobId job);

  /**
   * Sends a heartbeat of the client of a job. Returns whether the cluster expects more; false if
   * the job does not end with its client.
   *
   * @param timeout the time without a heartbeat after which the cluster considers the client dead
   */
  default boolean heartbeat(JobId job, Duration timeout) {
    return false;
  }

  /**
   * The batches of records that a job has collected under a name, from number {@code next} on; the
   * cluster drops earlier ones. Waits up to {@code maxWait} for the first.
   */
  CollectedPage collected(JobId job, String name, long next, Duration maxWait);

  /**
   * The cached data set of an earlier job, if it is complete; empty for clusters without cached
   * data sets.
   */
  default Optional<CachedDataSet> dataSet(DataSetId id) {
    return Optional.empty();
  }

  /**
   * Deletes the cached data set of an earlier job. Returns when it is deleted, also if none exists.
   */
  default void releaseDataSet(DataSetId id) {}

  /**
   * How long a client that waits for a job repeats its requests when the cluster stops answering.
   */
  default Duration reconnectTimeout() {
    return Duration.ZERO;
  }

  /** The command that cancels a job of this cluster. */
  default String cancelCommand(JobId job) {
    return "millrace cancel " + job;
  }

  /**
   * Ends a job because its client ends. Unlike {@link #cancel}, it may end a cluster that runs only
   * this job, and does so if that cluster does not answer.
   */
  default void abandon(JobId job) {
    cancel(job);
  }

  /** Closes this client, and with it a cluster that is part of this process. */
  @Override
  void close();
}
