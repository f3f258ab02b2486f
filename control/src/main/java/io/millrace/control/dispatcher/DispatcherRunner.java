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
 * Takes part in the election of the Dispatcher and runs one in each term it leads, which begins
 * with the jobs of its forerunner.
 */
public final class DispatcherRunner {
  private static final Logger LOG = LoggerFactory.getLogger(DispatcherRunner.class);

  private static final Duration DESCRIPTOR_PAUSE = Duration.ofSeconds(1);

  private final ClusterServices cluster;
  private final JobStorage storage;
  private final Dispatcher.Owner owner;
  private final LeaderElectionRunner terms;

  /**
   * @param shutDown run when the user wants the cluster to end and its jobs have ended
   * @param fatal told what this process cannot go on with; another one may be able to
   */
  public DispatcherRunner(
      ClusterServices cluster, JobStorage storage, Runnable shutDown, Consumer<Throwable> fatal) {
    this.cluster = cluster;
    this.storage = storage;
    this.owner = new Dispatcher.Owner(shutDown, fatal);
    this.terms = new LeaderElectionRunner(cluster, ComponentNames.DISPATCHER, this::begin);
  }

  /** Takes part from now on. */
  public void start() {
    terms.start();
  }

  /** Stops taking part; jobs are suspended and nothing is deleted. */
  public CompletableFuture<Void> stop() {
    return terms.stop();
  }

  private void begin(LeaderElectionRunner.Term term) {
    cluster
        .rpc()
        .env()
        .io()
        .call(terms.mailbox(), () -> storage.recover(term.token().term()))
        .whenComplete(
            (recovery, failure) -> {
              if (!term.leads()) {
                return;
              }
              if (FileDescriptors.areExhausted(failure)) {
                LOG.warn("The stored jobs cannot be read yet: {}", failure.getMessage());
                terms.mailbox().after(DESCRIPTOR_PAUSE, () -> begin(term));
              } else if (failure != null) {
                owner
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
        "Dispatcher begins term {} with {} stored jobs and remembers {} that have ended",
        term.token().term(),
        recovery.jobs().size(),
        recovery.ended().size());
    term.run(new Dispatcher(cluster, term.token(), storage, recovery, owner), owner.fatal());
  }
}
