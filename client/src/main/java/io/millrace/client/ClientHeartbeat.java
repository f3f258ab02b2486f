package io.millrace.client;

import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.Durations;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends heartbeats for jobs that must end with this process. The cluster cancels such a job if no
 * heartbeat arrives within the timeout, so the jobs end also if this process is killed.
 */
public final class ClientHeartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientHeartbeat.class);

  private final ClusterClient cluster;
  private final Duration interval;
  private final Duration timeout;
  private final Set<JobId> jobs = new ConcurrentSkipListSet<>();
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(ClientHeartbeat::thread);

  private ClientHeartbeat(ClusterClient cluster, Duration interval, Duration timeout) {
    this.cluster = cluster;
    this.interval = interval;
    this.timeout = timeout;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "client-heartbeat");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * The heartbeat of a client whose jobs end with it, as the configuration says; empty otherwise.
   */
  public static Optional<ClientHeartbeat> of(ClusterClient cluster, Configuration configuration) {
    return timeout(configuration)
        .map(
            timeout ->
                new ClientHeartbeat(
                    cluster, configuration.get(ClientOptions.CLIENT_HEARTBEAT_INTERVAL), timeout));
  }

  /**
   * The time without a heartbeat after which the jobs of a client are cancelled; empty if the jobs
   * do not end with their client.
   */
  public static Optional<Duration> timeout(Configuration configuration) {
    if (!configuration.get(DeploymentOptions.ATTACHED)
        || !configuration.get(DeploymentOptions.SHUTDOWN_IF_ATTACHED)) {
      return Optional.empty();
    }
    Duration interval = configuration.get(ClientOptions.CLIENT_HEARTBEAT_INTERVAL);
    Duration timeout = configuration.get(ClientOptions.CLIENT_HEARTBEAT_TIMEOUT);
    if (interval.isZero() || interval.isNegative() || interval.compareTo(timeout) >= 0) {
      throw new MillraceException(
          ErrorKind.USER,
          ClientOptions.CLIENT_HEARTBEAT_INTERVAL.key()
              + " is "
              + Durations.readable(interval)
              + " and "
              + ClientOptions.CLIENT_HEARTBEAT_TIMEOUT.key()
              + " "
              + Durations.readable(timeout)
              + ", but the interval must be above 0 and shorter than the timeout. Set it to about a"
              + " sixth of the timeout.");
    }
    return Optional.of(timeout);
  }

  /**
   * Adds the timeout to the graph, so that it also applies to a client that dies before the first
   * heartbeat.
   */
  JobGraph withTimeout(JobGraph graph) {
    return graph.withClientTimeout(timeout);
  }

  /** Starts the heartbeats of an accepted job. They end when the cluster expects no more. */
  public void begin(JobId job) {
    if (jobs.add(job)) {
      scheduler.schedule(() -> heartbeat(job), interval.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void heartbeat(JobId job) {
    long start = System.nanoTime();
    boolean expectsMore = true;
    try {
      expectsMore = cluster.heartbeat(job, timeout);
    } catch (MillraceException e) {
      // The leader may be changing. The thread that waits for the job reports the outage.
      LOG.info("A heartbeat for job {} did not reach the cluster: {}", job, e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("A heartbeat for job {} did not reach the cluster", job, e);
    }
    if (expectsMore && !scheduler.isShutdown()) {
      long left = interval.toNanos() - (System.nanoTime() - start);
      scheduler.schedule(() -> heartbeat(job), Math.max(left, 0), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
  }
}
