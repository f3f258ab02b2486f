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
 * A cluster as a client sees it. Calls block, and fail with a {@link
 * io.millrace.core.error.MillraceException}; any number of threads may call.
 */
public interface ClusterClient extends AutoCloseable {
  /** Where the cluster is, for messages: {@code 127.0.0.1:8081} or {@code this process}. */
  String address();

  /**
   * Stores the jars, adds them to the graph and hands it over. Returns when the cluster has
   * accepted the job; an error means that it has not.
   */
  void submit(JobGraph graph, List<Path> jars);

  /** Every job the cluster knows, those that ended recently too. */
  List<JobOverview> jobs();

  /** One of {@link #jobs()}; nothing where the cluster knows no such job. */
  default Optional<JobOverview> job(JobId job) {
    return jobs().stream().filter(known -> known.id().equals(job)).findFirst();
  }

  /** How a job ended, or nothing if it has not after this time; an unknown job is an error. */
  Optional<JobResult> awaitResult(JobId job, Duration patience);

  CancelOutcome cancel(JobId job);

  /**
   * Tells the cluster that the client of a job lives. Returns whether it wants to hear so again;
   * never, where no job ends with its client.
   *
   * @param timeout after which silence it may take the client for dead
   */
  default boolean heartbeat(JobId job, Duration timeout) {
    return false;
  }

  /**
   * Batches of records that a job hands to its client under a name, from number {@code next} on;
   * the ones before are dropped. Waits up to {@code patience} for the first.
   */
  CollectedPage collected(JobId job, String name, long next, Duration patience);

  /** A result of an earlier job, if all of it is there; never, where nothing is kept. */
  default Optional<CachedDataSet> dataSet(DataSetId id) {
    return Optional.empty();
  }

  /** Has a result of an earlier job deleted; returns when it is, also if there was none. */
  default void releaseDataSet(DataSetId id) {}

  /**
   * How long a cluster that was there and stops answering may take to come back, for whoever waits
   * for one of its jobs.
   */
  default Duration reconnectTimeout() {
    return Duration.ZERO;
  }

  /** What to type to end a job of this cluster from elsewhere. */
  default String cancelCommand(JobId job) {
    return "millrace cancel " + job;
  }

  /**
   * Ends a job because its client goes away. Unlike {@link #cancel}, it may take the cluster along
   * where that is the job's own, and does where the cluster does not answer.
   */
  default void abandon(JobId job) {
    cancel(job);
  }

  /** Ends this client, and with it a cluster that lives in this process. */
  @Override
  void close();
}
