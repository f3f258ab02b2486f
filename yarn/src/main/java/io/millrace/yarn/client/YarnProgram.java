package io.millrace.yarn.client;

import io.millrace.client.ClientHeartbeat;
import io.millrace.client.JobListener;
import io.millrace.client.RunningProgram;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobOverview;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A program that runs in an application of its own. */
final class YarnProgram implements RunningProgram {
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final YarnClusterClient cluster;
  private final Optional<ClientHeartbeat> heartbeat;

  /**
   * @param heartbeat what its jobs are tied to; nothing where they go on without this client
   */
  YarnProgram(YarnClusterClient cluster, Optional<ClientHeartbeat> heartbeat) {
    this.cluster = cluster;
    this.heartbeat = heartbeat;
  }

  @Override
  public String id() {
    return cluster.application().id();
  }

  @Override
  public Outcome await(JobListener listener) {
    Map<JobId, JobOverview> known = new LinkedHashMap<>();
    Optional<Long> silentSince = Optional.empty();
    while (true) {
      try {
        look(listener, known);
        Optional<Outcome> end = cluster.application().ended();
        if (silentSince.isPresent()) {
          listener.reachable(id());
          silentSince = Optional.empty();
        }
        if (end.isPresent()) {
          heartbeat.ifPresent(ClientHeartbeat::close);
          return end.get();
        }
      } catch (UnreachableException e) {
        // Its JobManager may be on its way to another node, or YARN be started again.
        if (silentSince.isEmpty()) {
          silentSince = Optional.of(System.nanoTime());
          listener.unreachable(id(), cluster.reconnectTimeout());
        } else if (System.nanoTime() - silentSince.get() > cluster.reconnectTimeout().toNanos()) {
          throw e;
        }
      }
      ApplicationStartMonitor.pause(PAUSE);
    }
  }

  private void look(JobListener listener, Map<JobId, JobOverview> known) {
    for (JobOverview job : cluster.jobs()) {
      JobOverview before = known.put(job.id(), job);
      if (before == null) {
        listener.submitted(job.id(), job.name());
        heartbeat.ifPresent(tie -> tie.begin(job.id()));
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
