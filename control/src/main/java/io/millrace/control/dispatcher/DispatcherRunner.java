package io.millrace.control.dispatcher;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.cluster.LeaderElectionRunner;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileDescriptors;
import io.millrace.protocol.ComponentNames;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election of the Dispatcher and runs one in each term. A new Dispatcher recovers
 * the jobs of its predecessor.
 */
public final class DispatcherRunner {
  private static final Logger LOG = LoggerFactory.getLogger(DispatcherRunner.class);

  private static final Duration DESCRIPTOR_RETRY_DELAY = Duration.ofSeconds(1);

  private final ClusterServices cluster;
  private final JobStorage storage;
  private final Dispatcher.DispatcherCallbacks callbacks;
  private final LeaderElectionRunner election;

  /**
   * @param shutDown called when all jobs have ended after a request to shut down
   * @param fatal called with an error after which this process cannot continue; another process may
   *     take over
   */
  public DispatcherRunner(
      ClusterServices cluster, JobStorage storage, Runnable shutDown, Consumer<Throwable> fatal) {
    this.cluster = cluster;
    this.storage = storage;
    this.callbacks = new Dispatcher.DispatcherCallbacks(shutDown, fatal);
    this.election = new LeaderElectionRunner(cluster, ComponentNames.DISPATCHER, this::begin);
  }

  /** Takes part in the election. */
  public void start() {
    election.start();
  }

  /** Leaves the election. Jobs are suspended and nothing is deleted. */
  public CompletableFuture<Void> stop() {
    return election.stop();
  }

  private void begin(LeaderElectionRunner.Term term) {
    new JobRecovery(storage, cluster.rpc().env(), election.mailbox())
        .run(term.token().term())
        .whenComplete(
            (recovery, failure) -> {
              if (!term.leads()) {
                return;
              }
              if (FileDescriptors.areExhausted(failure)) {
                LOG.warn(
                    "Stored jobs cannot be read and reading is retried: {}",
                    Failure.sentence(Failure.unwrap(failure)));
                election.mailbox().after(DESCRIPTOR_RETRY_DELAY, () -> begin(term));
              } else if (failure != null) {
                callbacks
                    .fatal()
                    .accept(
                        new MillraceException(
                            ErrorKind.EXTERNAL,
                            "The stored jobs cannot be recovered: "
                                + Failure.sentence(Failure.unwrap(failure)),
                            Failure.unwrap(failure)));
              } else {
                run(term, recovery);
              }
            });
  }

  private void run(LeaderElectionRunner.Term term, JobStorage.Recovery recovery) {
    LOG.info(
        "Dispatcher begins term {} with {} stored jobs and {} ended jobs",
        term.token().term(),
        recovery.jobs().size(),
        recovery.ended().size());
    term.run(
        new Dispatcher(cluster, term.token(), storage, recovery, callbacks), callbacks.fatal());
  }
}
