package io.millrace.cli.run;

import io.millrace.client.ClusterClient;
import io.millrace.client.Progress;
import io.millrace.client.Target;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** A client whose cluster starts in the background while {@code main} builds its first job. */
final class LazyClusterClient implements ClusterClient {
  private static final Duration CLOSE_BOUND = Duration.ofSeconds(3);

  private final CompletableFuture<ClusterClient> opened = new CompletableFuture<>();
  private final AtomicBoolean closing = new AtomicBoolean();

  private volatile boolean interrupted;

  private LazyClusterClient() {}

  static ClusterClient of(Target target, Configuration configuration, Progress progress) {
    if (target.outlivesClient()) {
      // Such a client connects on its first call.
      return target.open(configuration, progress);
    }
    LazyClusterClient cluster = new LazyClusterClient();
    Thread thread =
        new Thread(
            () -> {
              try {
                cluster.opened.complete(target.open(configuration, progress));
              } catch (RuntimeException | LinkageError e) {
                cluster.opened.completeExceptionally(e);
              }
            },
            "open-" + target.name());
    thread.setDaemon(true);
    thread.start();
    return cluster;
  }

  /**
   * Calls the cluster. After the command is interrupted, calls fail only because the cluster is
   * closing; such a call does not return, and the process ends with the caller inside it.
   */
  private <T> T call(Function<ClusterClient, T> request) {
    try {
      T answer = request.apply(cluster());
      if (!interrupted) {
        return answer;
      }
    } catch (MillraceException e) {
      if (!interrupted) {
        throw e;
      }
    }
    while (true) {
      LockSupport.park(this);
    }
  }

  /**
   * Closes the cluster of an interrupted command, which deletes its files, within a bounded time.
   */
  void closeWithinBound() {
    interrupted = true;
    Thread closer = new Thread(this::end, "close-cluster-bounded");
    closer.setDaemon(true);
    closer.start();
    try {
      closer.join(CLOSE_BOUND.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ClusterClient cluster() {
    try {
      return opened.join();
    } catch (CompletionException | CancellationException e) {
      Throwable cause = Failure.unwrap(e);
      if (cause instanceof MillraceException known) {
        throw known;
      }
      throw new MillraceException(
          ErrorKind.BUG, "The cluster could not start: " + Failure.sentence(cause), cause);
    }
  }

  @Override
  public String address() {
    return call(ClusterClient::address);
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    call(
        cluster -> {
          cluster.submit(graph, jars);
          return graph;
        });
  }

  @Override
  public List<JobOverview> jobs() {
    return call(ClusterClient::jobs);
  }

  @Override
  public Optional<JobOverview> job(JobId job) {
    return call(cluster -> cluster.job(job));
  }

  @Override
  public Optional<JobResult> awaitResult(JobId job, Duration maxWait) {
    return call(cluster -> cluster.awaitResult(job, maxWait));
  }

  @Override
  public CancelOutcome cancel(JobId job) {
    return call(cluster -> cluster.cancel(job));
  }

  @Override
  public CollectedPage collected(JobId job, String name, long next, Duration maxWait) {
    return call(cluster -> cluster.collected(job, name, next, maxWait));
  }

  @Override
  public Optional<CachedDataSet> dataSet(DataSetId id) {
    return call(cluster -> cluster.dataSet(id));
  }

  @Override
  public void releaseDataSet(DataSetId id) {
    call(
        cluster -> {
          cluster.releaseDataSet(id);
          return id;
        });
  }

  @Override
  public void close() {
    end();
  }

  /**
   * A cluster that could not start has nothing to close; the call that used it has reported the
   * failure.
   */
  private void end() {
    if (closing.compareAndSet(false, true)) {
      opened.thenAccept(ClusterClient::close).exceptionally(failure -> null).join();
    }
  }
}
