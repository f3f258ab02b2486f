package io.millrace.yarn.client;

import io.millrace.client.ClientHeartbeat;
import io.millrace.client.JobListener;
import io.millrace.client.RunningProgram;
import io.millrace.client.UnreachableException;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobOverview;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A program that runs in its own application. */
final class YarnProgram implements RunningProgram {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  private final YarnClusterClient cluster;
  private final Optional<ClientHeartbeat> heartbeat;

  /**
   * @param configuration decides whether jobs end without heartbeats of this client
   */
  YarnProgram(YarnClusterClient cluster, Configuration configuration) {
    this.cluster = cluster;
    this.heartbeat = ClientHeartbeat.of(cluster, configuration);
  }

  @Override
  public String id() {
    return cluster.application().id();
  }

  @Override
  public Outcome await(JobListener listener) {
    Map<JobId, JobOverview> known = new LinkedHashMap<>();
    Optional<Long> unreachableSince = Optional.empty();
    while (true) {
      try {
        reportChanges(listener, known);
        Optional<Outcome> end = cluster.application().ended();
        if (unreachableSince.isPresent()) {
          listener.reachable(id());
          unreachableSince = Optional.empty();
        }
        if (end.isPresent()) {
          heartbeat.ifPresent(ClientHeartbeat::close);
          return end.get();
        }
      } catch (UnreachableException e) {
        // The JobManager may move to another node, or YARN may restart.
        if (unreachableSince.isEmpty()) {
          unreachableSince = Optional.of(System.nanoTime());
          listener.unreachable(id(), cluster.reconnectTimeout());
        } else if (System.nanoTime() - unreachableSince.get()
            > cluster.reconnectTimeout().toNanos()) {
          throw e;
        }
      }
      ApplicationStartMonitor.pause(POLL_INTERVAL);
    }
  }

  private void reportChanges(JobListener listener, Map<JobId, JobOverview> known) {
    for (JobOverview job : cluster.jobs()) {
      JobOverview before = known.put(job.id(), job);
      if (before == null) {
        listener.submitted(job.id(), job.name());
        heartbeat.ifPresent(sender -> sender.begin(job.id()));
      }
      boolean changed =
          before == null
              || before.status() != job.status()
              || !before.waitingFor().equals(job.waitingFor());
      if (changed) {
        listener.changed(job);
      }
    }
  }

  @Override
  public void end() {
    try {
      cluster.application().kill("Its client has ended.");
    } catch (MillraceException e) {
      if (cluster.application().ended().isEmpty()) {
        throw e;
      }
    }
  }

  @Override
  public String followUpCommands() {
    return "Follow its jobs with: millrace list -yid "
        + id()
        + System.lineSeparator()
        + "End it with: yarn application -kill "
        + id();
  }
}
