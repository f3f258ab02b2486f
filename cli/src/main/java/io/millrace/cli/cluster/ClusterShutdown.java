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

/** Ends the processes of a cluster on this machine: asked first, then told, then killed. */
final class ClusterShutdown {
  private static final Duration ASKED = Duration.ofSeconds(5);
  private static final Duration TOLD = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final Duration KILLED = Duration.ofSeconds(10);

  private final ClusterDirectory directory;

  ClusterShutdown(ClusterDirectory directory) {
    this.directory = directory;
  }

  /**
   * Gives jobs the chance to end in order. The JobManager goes first: it might start workers in the
   * place of those that end.
   */
  void stop() {
    ask();
    stop(ClusterProcess::isJobManager);
    stop(process -> true);
  }

  private void stop(Predicate<ClusterProcess> which) {
    List<ClusterProcess> told = alive(which);
    told.forEach(process -> process.handle().ifPresent(ProcessHandle::destroy));
    await(told, TOLD);
    kill(which);
  }

  private List<ClusterProcess> alive(Predicate<ClusterProcess> which) {
    return directory.found().stream().filter(which).toList();
  }

  /** Returns when the JobManager has ended, or will not. */
  private void ask() {
    Optional<HostPort> address;
    try {
      address = directory.runningAddress();
    } catch (MillraceException damaged) {
      // Whoever cannot be asked is told with a signal next.
      return;
    }
    if (address.isEmpty()) {
      return;
    }
    try (RestClusterClient client = directory.client(address.get(), ASKED)) {
      client.shutDownCluster();
    } catch (MillraceException unreachable) {
      // The same.
      return;
    }
    await(alive(ClusterProcess::isJobManager), ASKED);
  }

  void kill() {
    kill(ClusterProcess::isJobManager);
    kill(process -> true);
  }

  private void kill(Predicate<ClusterProcess> which) {
    List<ClusterProcess> alive = alive(which);
    alive.forEach(process -> process.handle().ifPresent(ProcessHandle::destroyForcibly));
    await(alive, KILLED);
    List<ClusterProcess> left = alive(which);
    if (!left.isEmpty()) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "These processes cannot be killed: "
              + left.stream()
                  .map(process -> process.name() + " (pid " + process.pid() + ")")
                  .toList()
              + ".");
    }
  }

  /** Looks often: the JDK's own notice of the end of a process that it did not start is slow. */
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
