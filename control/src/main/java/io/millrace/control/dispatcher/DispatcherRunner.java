package io.millrace.control.dispatcher;

import io.millrace.control.blob.BlobStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.jobmaster.Cluster;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.Components;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderElection.Candidacy;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election of the Dispatcher and runs one in each term it leads, one after the
 * other. Has a mailbox of its own.
 */
public final class DispatcherRunner {
  private static final Logger LOG = LoggerFactory.getLogger(DispatcherRunner.class);

  private final Cluster cluster;
  private final Storage storage;
  private final Runnable shutDown;
  private final Consumer<Throwable> fatal;
  private final Mailbox mailbox;
  private Candidacy candidacy;
  private Optional<LeaderToken> term = Optional.empty();
  private Optional<Dispatcher> dispatcher = Optional.empty();
  private CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);
  private boolean stopped;

  /**
   * @param codec for everything stored; reads graphs of any size it allows
   * @param shutDown run when the user wants the cluster to end and its jobs have ended
   * @param fatal told what this process cannot go on with; another one may be able to
   */
  public DispatcherRunner(
      Rpc rpc,
      LeaderElection election,
      LeaderRetrieval leaders,
      Configuration configuration,
      BlobStore blobs,
      HaStore store,
      RecordCodec codec,
      Runnable shutDown,
      Consumer<Throwable> fatal) {
    this.cluster = new Cluster(rpc, election, leaders, configuration);
    this.storage = new Storage(blobs, store, codec);
    this.shutDown = shutDown;
    this.fatal = fatal;
    this.mailbox = rpc.env().mailbox("runner-" + Components.DISPATCHER);
  }

  /** Takes part from now on. */
  public void start() {
    mailbox.post(
        () ->
            candidacy =
                cluster.election().contend(Components.DISPATCHER, mailbox, new OwnContender()));
  }

  /** Stops taking part; jobs are suspended and nothing is deleted. */
  public CompletableFuture<Void> stop() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    mailbox.post(
        () -> {
          stopped = true;
          endTerm();
          previous.whenComplete(
              (nothing, failure) ->
                  mailbox.post(
                      () -> {
                        if (candidacy != null) {
                          candidacy.withdraw();
                          candidacy = null;
                        }
                        done.complete(null);
                      }));
        });
    return done;
  }

  private final class OwnContender implements LeaderElection.Contender {
    @Override
    public void granted(LeaderToken token) {
      if (!stopped) {
        term = Optional.of(token);
        previous.whenComplete((nothing, failure) -> mailbox.post(() -> recover(token)));
      }
    }

    @Override
    public void revoked() {
      LOG.info("The Dispatcher of this process no longer leads");
      endTerm();
    }
  }

  private void recover(LeaderToken token) {
    if (!leads(token)) {
      return;
    }
    cluster
        .rpc()
        .env()
        .io()
        .call(mailbox, storage::recover)
        .whenComplete(
            (jobs, failure) -> {
              if (!leads(token)) {
                return;
              }
              if (failure != null) {
                fatal.accept(
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "The stored jobs cannot be recovered: "
                            + Failure.sentence(Failure.unwrap(failure)),
                        Failure.unwrap(failure)));
              } else {
                run(token, jobs);
              }
            });
  }

  private void run(LeaderToken token, List<Storage.Recovered> jobs) {
    LOG.info("Dispatcher leads in term {} with {} recovered jobs", token.term(), jobs.size());
    Dispatcher started =
        new Dispatcher(
            cluster,
            token,
            storage,
            jobs,
            new Dispatcher.Owner(() -> mailbox.post(() -> publish(token)), shutDown, fatal));
    dispatcher = Optional.of(started);
    started
        .terminated()
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                fatal.accept(failure);
              }
            });
    started.start();
  }

  private void publish(LeaderToken token) {
    if (leads(token)) {
      candidacy.confirm(token, new Address(cluster.rpc().address(), Components.DISPATCHER));
    }
  }

  private boolean leads(LeaderToken token) {
    return !stopped && candidacy != null && term.equals(Optional.of(token));
  }

  private void endTerm() {
    term = Optional.empty();
    if (dispatcher.isPresent()) {
      previous = dispatcher.get().stop();
      dispatcher = Optional.empty();
    }
  }
}
