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

/** A cluster that starts while the program's {@code main} still builds its first job. */
final class LazyClusterClient implements ClusterClient {
  private static final Duration CLOSE_BOUND = Duration.ofSeconds(3);

  private final CompletableFuture<ClusterClient> opened = new CompletableFuture<>();
  private final AtomicBoolean closing = new AtomicBoolean();

  private volatile boolean ending;

  private LazyClusterClient() {}

  static ClusterClient of(Target target, Configuration configuration, Progress progress) {
    if (target.outlivesClient()) {
      // Connecting costs nothing before the first call.
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
   * Asks the cluster. Once the command is interrupted, answers tell only that the cluster goes away
   * under the program, so the caller is kept waiting for the end of the process instead.
   */
  private <T> T ask(Function<ClusterClient, T> question) {
    try {
      T answer = question.apply(cluster());
      if (!ending) {
        return answer;
      }
    } catch (MillraceException e) {
      if (!ending) {
        throw e;
      }
    }
    while (true) {
      LockSupport.park(this);
    }
  }

  /** Takes back what the cluster put on disk when the command is interrupted, if that goes fast. */
  void closeWithinBound() {
    ending = true;
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
    return ask(ClusterClient::address);
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    ask(
        cluster -> {
          cluster.submit(graph, jars);
          return graph;
        });
  }

  @Override
  public List<JobOverview> jobs() {
    return ask(ClusterClient::jobs);
  }

  @Override
  public Optional<JobOverview> job(JobId job) {
    return ask(cluster -> cluster.job(job));
  }

  @Override
  public Optional<JobResult> awaitResult(JobId job, Duration patience) {
    return ask(cluster -> cluster.awaitResult(job, patience));
  }

  @Override
  public CancelOutcome cancel(JobId job) {
    return ask(cluster -> cluster.cancel(job));
  }

  @Override
  public CollectedPage collected(JobId job, String name, long next, Duration patience) {
    return ask(cluster -> cluster.collected(job, name, next, patience));
  }

  @Override
  public Optional<CachedDataSet> dataSet(DataSetId id) {
    return ask(cluster -> cluster.dataSet(id));
  }

  @Override
  public void releaseDataSet(DataSetId id) {
    ask(
        cluster -> {
          cluster.releaseDataSet(id);
          return id;
        });
  }

  @Override
  public void close() {
    end();
  }

  /** One that could not start was told of by whoever wanted it, and has nothing to close. */
  private void end() {
    if (closing.compareAndSet(false, true)) {
      opened.thenAccept(ClusterClient::close).exceptionally(failure -> null).join();
    }
  }
}
