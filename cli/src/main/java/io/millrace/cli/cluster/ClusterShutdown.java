package io.millrace.cli.cluster;

import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Ends the processes of a cluster on this machine: by a REST request, then SIGTERM, then SIGKILL.
 */
final class ClusterShutdown {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration TERMINATE_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  private final ClusterDirectory directory;

  ClusterShutdown(ClusterDirectory directory) {
    this.directory = directory;
  }

  /**
   * Lets jobs end in order. The JobManager ends first, because it would replace workers that end.
   */
  void stop() {
    requestShutdown();
    stop(ClusterProcess::isJobManager);
    stop(process -> true);
  }

  private void stop(Predicate<ClusterProcess> which) {
    List<ClusterProcess> terminated = alive(which);
    terminated.forEach(process -> process.handle().ifPresent(ProcessHandle::destroy));
    await(terminated, TERMINATE_TIMEOUT);
    kill(which);
  }

  private List<ClusterProcess> alive(Predicate<ClusterProcess> which) {
    return directory.found().stream().filter(which).toList();
  }

  /** Requests the shutdown over REST and waits for the end of the JobManager, within a bound. */
  private void requestShutdown() {
    Optional<HostPort> address;
    try {
      address = directory.runningAddress();
    } catch (MillraceException damaged) {
      // The JobManager gets a signal next.
      return;
    }
    if (address.isEmpty()) {
      return;
    }
    try (RestClusterClient client = directory.client(address.get(), REQUEST_TIMEOUT)) {
      if (alive(ClusterProcess::isJobManager).size() > 1) {
        stopStandbys(client);
      }
      client.shutDownCluster();
    } catch (MillraceException unreachable) {
      // The JobManager gets a signal next.
      return;
    }
    await(alive(ClusterProcess::isJobManager), REQUEST_TIMEOUT);
  }

  /** Ends the other JobManagers before the leading one, whose place they would take. */
  private void stopStandbys(RestClusterClient client) {
    client.workers();
    Optional<HostPort> leader = Optional.of(client.leader());
    stop(process -> process.isJobManager() && !directory.address(process.name()).equals(leader));
  }

  void kill() {
    kill(ClusterProcess::isJobManager);
    kill(process -> true);
  }

  private void kill(Predicate<ClusterProcess> which) {
    List<ClusterProcess> alive = alive(which);
    alive.forEach(process -> process.handle().ifPresent(ProcessHandle::destroyForcibly));
    await(alive, KILL_TIMEOUT);
    List<ClusterProcess> left = alive(which);
    if (!left.isEmpty()) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "These processes do not end after SIGKILL: "
              + left.stream()
                  .map(process -> process.name() + " (pid " + process.pid() + ")")
                  .toList()
              + ". Check their state with `ps`, and run the command again.");
    }
  }

  /** Polls, because the JDK notices the end of a process that it did not start with a delay. */
  private static void await(List<ClusterProcess> processes, Duration bound) {
    long deadline = System.nanoTime() + bound.toNanos();
    while (processes.stream().anyMatch(ClusterProcess::isAlive) && System.nanoTime() < deadline) {
      try {
        Thread.sleep(PAUSE.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new MillraceException(
            ErrorKind.USER, "Interrupted while the cluster stopped. Run the command again.", e);
      }
    }
  }
}
