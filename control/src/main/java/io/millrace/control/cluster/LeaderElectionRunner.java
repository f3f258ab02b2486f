package io.millrace.control.cluster;

import io.millrace.core.error.Failure;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderElection.Candidacy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election of a component and runs a fresh endpoint in each term it leads. A term
 * begins when the endpoint of the one before has terminated, and the endpoint is made known when it
 * serves and still leads. Has a mailbox of its own.
 */
public final class LeaderElectionRunner {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderElectionRunner.class);

  private final LeaderElection election;
  private final String component;
  private final Consumer<Term> begin;
  private final Mailbox mailbox;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();

  /** Read from other mailboxes, too. */
  private final AtomicReference<Optional<LeaderToken>> known =
      new AtomicReference<>(Optional.empty());

  private Optional<Candidacy> candidacy = Optional.empty();
  private Optional<Term> current = Optional.empty();

  /** Completes when nothing of earlier terms is left. */
  private CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

  private boolean stopping;

  /**
   * @param begin called in the mailbox at the beginning of each term; prepares what the term needs
   *     and calls {@link Term#run}
   */
  public LeaderElectionRunner(ClusterServices cluster, String component, Consumer<Term> begin) {
    this.election = cluster.election();
    this.component = component;
    this.begin = begin;
    this.mailbox = cluster.rpc().env().mailbox("runner-" + component);
  }

  /** Where the terms begin and end; closed when they have stopped. */
  public Mailbox mailbox() {
    return mailbox;
  }

  /** The token of an endpoint of this process that is known as the leader. From any mailbox. */
  public Optional<LeaderToken> known() {
    return known.get();
  }

  /** Takes part from now on. */
  public void start() {
    mailbox.post(
        () -> {
          if (!stopping) {
            candidacy = Optional.of(election.contend(component, mailbox, new OwnContender()));
          }
        });
  }

  /** Ends the current term and takes part no longer. May be called repeatedly. */
  public CompletableFuture<Void> stop() {
    mailbox.post(
        () -> {
          if (!stopping) {
            stopping = true;
            endTerm();
            previous.whenComplete((nothing, failure) -> mailbox.post(this::withdraw));
          }
        });
    return stopped;
  }

  /** Comes last: whoever leads next finds nothing of this one running. */
  private void withdraw() {
    candidacy.ifPresent(Candidacy::withdraw);
    stopped.complete(null);
    mailbox.close();
  }

  private void endTerm() {
    known.set(Optional.empty());
    current.flatMap(term -> term.endpoint).ifPresent(endpoint -> previous = endpoint.stop());
    current = Optional.empty();
  }

  private final class OwnContender implements LeaderElection.Contender {
    @Override
    public void granted(LeaderToken token) {
      if (stopping) {
        return;
      }
      endTerm();
      Term term = new Term(token);
      current = Optional.of(term);
      previous.whenComplete(
          (nothing, failure) ->
              mailbox.post(
                  () -> {
                    if (term.leads()) {
                      begin.accept(term);
                    }
                  }));
    }

    @Override
    public void revoked() {
      LOG.info("{} of this process leads no more", component);
      endTerm();
    }
  }

  /** One time of leading. Lives in the mailbox. */
  public final class Term {
    private final LeaderToken token;
    private Optional<Endpoint> endpoint = Optional.empty();

    private Term(LeaderToken token) {
      this.token = token;
    }

    public LeaderToken token() {
      return token;
    }

    /** Whether this term still goes on. */
    public boolean leads() {
      mailbox.checkInside();
      return current.equals(Optional.of(this));
    }

    /**
     * Starts the endpoint of this term, unless the term has ended.
     *
     * @param failed told, in the mailbox, where the endpoint ends before the term does
     * @return completes, in the mailbox, when the endpoint has been made known as the leader
     */
    public CompletableFuture<Void> run(Endpoint fresh, Consumer<Throwable> failed) {
      CompletableFuture<Void> published = new CompletableFuture<>();
      if (leads()) {
        endpoint = Optional.of(fresh);
        fresh.started().thenRun(() -> mailbox.post(() -> publish(fresh, published)));
        fresh
            .terminated()
            .whenComplete((nothing, failure) -> mailbox.post(() -> ended(failure, failed)));
        fresh.start();
      }
      return published;
    }

    private void publish(Endpoint fresh, CompletableFuture<Void> published) {
      Candidacy taking = candidacy.orElseThrow();
      if (leads() && taking.leads(token)) {
        LOG.info("{} leads with token {}", fresh.address(), token);
        known.set(Optional.of(token));
        taking.confirm(token, fresh.address());
        published.complete(null);
      }
    }

    private void ended(Throwable failure, Consumer<Throwable> failed) {
      if (leads()) {
        failed.accept(
            failure == null
                ? new IllegalStateException(component + " ended by itself")
                : Failure.unwrap(failure));
      }
    }
  }
}
