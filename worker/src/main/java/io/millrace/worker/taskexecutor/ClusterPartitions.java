package io.millrace.worker.taskexecutor;

import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.PartitionReport;
import io.millrace.rpc.Acknowledge;
import io.millrace.task.ClusterPartition;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster partitions of this worker. Reports each change to the ResourceManager. The data
 * itself belongs to the task host.
 */
final class ClusterPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterPartitions.class);

  private final TaskExecutorContext worker;
  private final Function<PartitionReport, CompletableFuture<Acknowledge>> send;

  /** Jobs that have partitions here, have no slot and have not ended. */
  private final Set<JobId> undecided = new LinkedHashSet<>();

  private long version;

  /**
   * @param send sends a report to the ResourceManager
   */
  ClusterPartitions(
      TaskExecutorContext worker, Function<PartitionReport, CompletableFuture<Acknowledge>> send) {
    this.worker = worker;
    this.send = send;
  }

  PartitionReport report() {
    return new PartitionReport(++version, worker.host().kept(), !undecided.isEmpty());
  }

  /**
   * Completes when the ResourceManager has acknowledged, or could not be reached: its next
   * heartbeat fetches the report.
   */
  CompletableFuture<Acknowledge> keep(JobId job, long term, List<ExecutionId> executions) {
    worker.host().keep(term, executions);
    undecided.remove(job);
    LOG.info(
        "Worker {} keeps the partitions of {} tasks of job {}",
        worker.id(),
        executions.size(),
        job);
    return sendReport();
  }

  void drop(List<ClusterPartition> partitions) {
    worker.host().drop(partitions);
    LOG.info("Worker {} has deleted {} partitions", worker.id(), partitions.size());
    sendReport();
  }

  /**
   * Called before a job loses a slot: its partitions may then be the only thing that it has here.
   */
  void reportBeforeSlotIsFree(JobId job) {
    if (worker.host().hasResultsOf(job) && undecided.add(job)) {
      sendReport();
    }
  }

  /** Ends a job and discards its partitions that are not kept. */
  void discard(JobId job, Runnable end) {
    end.run();
    if (undecided.remove(job)) {
      sendReport();
    }
  }

  private CompletableFuture<Acknowledge> sendReport() {
    CompletableFuture<Acknowledge> done = new CompletableFuture<>();
    worker.then(
        send.apply(report()),
        (acknowledged, failure) -> {
          if (failure != null) {
            LOG.info(
                "The ResourceManager has not acknowledged the partitions of worker {}: {}",
                worker.id(),
                Failure.sentence(Failure.unwrap(failure)));
          }
          done.complete(Acknowledge.INSTANCE);
        });
    return done;
  }
}
