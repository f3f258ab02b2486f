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
 * Ties jobs to the life of this process: the cluster hears of it again and again, and cancels the
 * jobs when it has not for too long, whatever kept it from ending them itself.
 */
public final class ClientHeartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientHeartbeat.class);

  private final ClusterClient cluster;
  private final Duration interval;
  private final Duration timeout;
  private final Set<JobId> jobs = new ConcurrentSkipListSet<>();
  private final ScheduledExecutorService beats =
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

  /** For the jobs of a client, where the configuration says that they end with it. */
  public static Optional<ClientHeartbeat> of(ClusterClient cluster, Configuration configuration) {
    return timeout(configuration)
        .map(
            timeout ->
                new ClientHeartbeat(
                    cluster, configuration.get(ClientOptions.CLIENT_HEARTBEAT_INTERVAL), timeout));
  }

  /** For how long a client may be silent whose jobs end with it; nothing where they do not. */
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
              + ": the interval has to be above 0 and shorter than the timeout, best a sixth of"
              + " it.");
    }
    return Optional.of(timeout);
  }

  /** The job as one that ends with this process; a client that dies before the first beat, too. */
  JobGraph tie(JobGraph graph) {
    return graph.withClientTimeout(timeout);
  }

  /** The cluster has accepted the job, and hears of this client until it does not want to. */
  public void begin(JobId job) {
    if (jobs.add(job)) {
      beats.schedule(() -> heartbeat(job), interval.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void heartbeat(JobId job) {
    long began = System.nanoTime();
    boolean goOn = true;
    try {
      goOn = cluster.heartbeat(job, timeout);
    } catch (MillraceException e) {
      // It may be on its way to another machine; who waits for the job tells of it.
      LOG.info("The cluster of job {} did not hear of this client: {}", job, e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("The cluster of job {} did not hear of this client", job, e);
    }
    if (goOn && !beats.isShutdown()) {
      long left = interval.toNanos() - (System.nanoTime() - began);
      beats.schedule(() -> heartbeat(job), Math.max(left, 0), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void close() {
    beats.shutdownNow();
  }
}
