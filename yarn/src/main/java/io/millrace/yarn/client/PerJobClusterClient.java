package io.millrace.yarn.client;

import io.millrace.client.ClusterClient;
import io.millrace.client.Progress;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client that starts a cluster for each job at its submission. */
final class PerJobClusterClient implements ClusterClient {
  private static final Logger LOG = LoggerFactory.getLogger(PerJobClusterClient.class);
  private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

  private final Configuration configuration;
  private final Progress progress;
  private final Supplier<EngineArchive> engine;

  /** Opened in a thread, because Hadoop loads slowly, while the program builds its graph. */
  private final CompletableFuture<YarnConnection> connection = new CompletableFuture<>();

  private final Map<JobId, YarnClusterClient> clusters = new LinkedHashMap<>();
  private final Set<JobId> ended = new LinkedHashSet<>();

  PerJobClusterClient(
      Configuration configuration,
      Supplier<YarnConnection> connect,
      Supplier<EngineArchive> engine,
      Progress progress) {
    this.configuration = configuration;
    this.progress = progress;
    this.engine = engine;
    Thread thread =
        new Thread(
            () -> {
              try {
                connection.complete(connect.get());
              } catch (RuntimeException | LinkageError e) {
                connection.completeExceptionally(e);
              }
            },
            "connect-to-yarn");
    thread.setDaemon(true);
    thread.start();
  }

  private YarnConnection connection() {
    try {
      return connection.join();
    } catch (CompletionException e) {
      Throwable cause = Failure.unwrap(e);
      if (cause instanceof MillraceException known) {
        throw known;
      }
      throw new MillraceException(
          ErrorKind.BUG, "Hadoop's client could not start: " + Failure.sentence(cause), cause);
    }
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    YarnApplication deployed =
        connection()
            .deploy(DeploymentSpec.ofJob(graph, jars, configuration), engine.get(), progress);
    YarnClusterClient cluster =
        new YarnClusterClient(deployed, configuration.get(ClientOptions.CLIENT_TIMEOUT));
    synchronized (clusters) {
      clusters.put(graph.id(), cluster);
    }
    cluster.awaitAccepted(graph.id());
  }

  private Optional<YarnClusterClient> find(JobId job) {
    synchronized (clusters) {
      return Optional.ofNullable(clusters.get(job));
    }
  }

  private YarnClusterClient of(JobId job) {
    return find(job)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER, "Job " + job + " was not submitted by this client."));
  }

  @Override
  public String address() {
    synchronized (clusters) {
      return clusters.isEmpty()
          ? "YARN"
          : String.join(", ", clusters.values().stream().map(YarnClusterClient::address).toList());
    }
  }

  @Override
  public List<JobOverview> jobs() {
    List<YarnClusterClient> all;
    synchronized (clusters) {
      all = new ArrayList<>(clusters.values());
    }
    return all.stream().flatMap(cluster -> cluster.jobs().stream()).toList();
  }

  @Override
  public Optional<JobOverview> job(JobId job) {
    return of(job).job(job);
  }

  @Override
  public Optional<JobResult> awaitResult(JobId job, Duration patience) {
    Optional<JobResult> result = of(job).awaitResult(job, patience);
    if (result.isPresent()) {
      boolean first;
      synchronized (clusters) {
        first = ended.add(job);
      }
      if (first) {
        of(job).application().killed().ifPresent(progress::report);
      }
    }
    return result;
  }

  @Override
  public CancelOutcome cancel(JobId job) {
    return of(job).cancel(job);
  }

  @Override
  public boolean heartbeat(JobId job, Duration timeout) {
    return of(job).heartbeat(job, timeout);
  }

  @Override
  public CollectedPage collected(JobId job, String name, long next, Duration patience) {
    return of(job).collected(job, name, next, patience);
  }

  @Override
  public Duration reconnectTimeout() {
    return configuration.get(ClientOptions.CLIENT_TIMEOUT);
  }

  @Override
  public String cancelCommand(JobId job) {
    return of(job).cancelCommand(job);
  }

  @Override
  public void abandon(JobId job) {
    of(job).end(job);
  }

  /** Waits for the end of the clusters whose jobs have ended. */
  @Override
  public void close() {
    List<JobId> over;
    synchronized (clusters) {
      over = new ArrayList<>(ended);
    }
    for (JobId job : over) {
      try {
        of(job).dismiss();
        of(job).application().awaitEnd(END_TIMEOUT);
      } catch (MillraceException e) {
        LOG.warn("It is unknown whether {} has ended", of(job).address(), e);
      }
    }
    connection.thenAccept(YarnConnection::close).exceptionally(failure -> null);
  }
}
