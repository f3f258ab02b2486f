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
 * What finished tasks have left on this worker for later jobs, with the ResourceManager told of
 * every change. The data itself is the host's.
 */
final class ClusterPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterPartitions.class);

  private final TaskExecutorContext worker;
  private final Function<PartitionReport, CompletableFuture<Acknowledge>> tell;

  /** Jobs that have left something here without a slot, and have not ended. */
  private final Set<JobId> undecided = new LinkedHashSet<>();

  private long version;

  /**
   * @param tell hands a report to the ResourceManager
   */
  ClusterPartitions(
      TaskExecutorContext worker, Function<PartitionReport, CompletableFuture<Acknowledge>> tell) {
    this.worker = worker;
    this.tell = tell;
  }

  PartitionReport report() {
    return new PartitionReport(++version, worker.host().kept(), !undecided.isEmpty());
  }

  /** Answers when the ResourceManager knows, or cannot be told: it asks again by itself. */
  CompletableFuture<Acknowledge> keep(JobId job, long term, List<ExecutionId> executions) {
    worker.host().keep(term, executions);
    undecided.remove(job);
    LOG.info(
        "Worker {} keeps what {} tasks of job {} have left", worker.id(), executions.size(), job);
    return told();
  }

  void drop(List<ClusterPartition> partitions) {
    worker.host().drop(partitions);
    LOG.info("Worker {} has dropped {} partitions", worker.id(), partitions.size());
    told();
  }

  /** A job is about to lose a slot, and its results are then all that it has here. */
  void tellOf(JobId job) {
    if (worker.host().hasResultsOf(job) && undecided.add(job)) {
      told();
    }
  }

  /** Ends a job here, and with it what nobody has wanted to keep. */
  void discardOf(JobId job, Runnable end) {
    end.run();
    if (undecided.remove(job)) {
      told();
    }
  }

  private CompletableFuture<Acknowledge> told() {
    CompletableFuture<Acknowledge> done = new CompletableFuture<>();
    worker.then(
        tell.apply(report()),
        (acknowledged, failure) -> {
          if (failure != null) {
            LOG.info(
                "The ResourceManager has not heard what worker {} keeps: {}",
                worker.id(),
                Failure.sentence(Failure.unwrap(failure)));
          }
          done.complete(Acknowledge.INSTANCE);
        });
    return done;
  }
}
