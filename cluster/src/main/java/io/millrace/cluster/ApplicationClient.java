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
 * The client of the {@code main} of an application. An application that is restarted runs its
 * {@code main} again, so it submits the same jobs again. The client attaches to a job that was
 * recovered or whose result is stored, instead of submitting it.
 */
final class ApplicationClient extends DispatcherClient {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationClient.class);

  private final Optional<Duration> clientTimeout;

  /** For jobs that set themselves whether they end with their client. */
  ApplicationClient(
      Rpc rpc, LeaderRetrieval leaders, BlobStore blobs, Configuration configuration) {
    this(rpc, leaders, blobs, configuration, ApplicationProcess.Client.NONE);
  }

  /**
   * @param starter the client that started the application; its timeout is that of all jobs
   */
  ApplicationClient(
      Rpc rpc,
      LeaderRetrieval leaders,
      BlobStore blobs,
      Configuration configuration,
      ApplicationProcess.Client starter) {
    super(rpc, leaders, blobs, configuration);
    this.clientTimeout = starter.timeout();
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    if (isKnown(graph.id())) {
      LOG.info("Attaching to job {} '{}', which exists already", graph.id(), graph.name());
    } else {
      super.submit(clientTimeout.map(graph::withClientTimeout).orElse(graph), jars);
    }
  }

  /**
   * Waits until a Dispatcher leads. It leads when it has started the recovered jobs; if it cannot
   * recover them, it ends the process and with it this wait.
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
