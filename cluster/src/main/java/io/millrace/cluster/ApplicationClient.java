package io.millrace.cluster;

import io.millrace.control.blob.BlobStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobGraph;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of an application's {@code main}. An application that is started again runs its {@code
 * main} from the beginning, so it submits again what it submitted before: a job that was recovered,
 * or whose result is stored, is attached to.
 */
final class ApplicationClient extends DispatcherClient {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationClient.class);

  private final Optional<Duration> clientTimeout;

  /** For jobs that say themselves whether they go on without whoever started them. */
  ApplicationClient(
      Rpc rpc, LeaderRetrieval leaders, BlobStore blobs, Configuration configuration) {
    this(rpc, leaders, blobs, configuration, Optional.empty());
  }

  /**
   * @param clientTimeout for how long the client who started the application may be silent before
   *     its jobs are cancelled; nothing where they go on without it
   */
  ApplicationClient(
      Rpc rpc,
      LeaderRetrieval leaders,
      BlobStore blobs,
      Configuration configuration,
      Optional<Duration> clientTimeout) {
    super(rpc, leaders, blobs, configuration);
    this.clientTimeout = clientTimeout;
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    if (knows(graph.id())) {
      LOG.info("Job {} '{}' is here already and is attached to", graph.id(), graph.name());
    } else {
      super.submit(clientTimeout.map(graph::withClientTimeout).orElse(graph), jars);
    }
  }

  /**
   * Waits until a Dispatcher leads, which it does once it has started the recovered jobs. One that
   * cannot recover them ends the process, and with it this wait.
   */
  void awaitRecovery() {
    while (true) {
      try {
        jobs();
        return;
      } catch (MillraceException e) {
        if (e.kind() != ErrorKind.RESOURCE) {
          throw e;
        }
        LOG.info("The program waits for the Dispatcher: {}", e.getMessage());
      }
    }
  }
}
