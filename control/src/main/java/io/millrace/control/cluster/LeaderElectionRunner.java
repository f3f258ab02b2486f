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
 * Takes part in the election of a component and runs a new endpoint in each term. A term begins
 * when the endpoint of the previous term has terminated. The endpoint is published when it runs and
 * still leads. Has its own mailbox.
 */
public final class LeaderElectionRunner {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderElectionRunner.class);

  private final LeaderElection election;
  private final String component;
  private final Consumer<Term> begin;
  private final Mailbox mailbox;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();

  /** Read by other mailboxes, too. */
  private final AtomicReference<Optional<LeaderToken>> known =
      new AtomicReference<>(Optional.empty());

  private Optional<Candidacy> candidacy = Optional.empty();
  private Optional<Term> current = Optional.empty();

  /** Completes when the endpoints of all earlier terms have terminated. */
  private CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

  private boolean stopping;

  /**
   * @param begin called in the mailbox at the beginning of each term; prepares the term and calls
   *     {@link Term#run}
   */
  public LeaderElectionRunner(ClusterServices cluster, String component, Consumer<Term> begin) {
    this.election = cluster.election();
    this.component = component;
    this.begin = begin;
    this.mailbox = cluster.rpc().env().mailbox("runner-" + component);
  }

  /** The mailbox in which terms begin and end; closed after {@link #stop}. */
  public Mailbox mailbox() {
    return mailbox;
  }

  /** The token of the published endpoint of this process. Callable from any mailbox. */
  public Optional<LeaderToken> known() {
    return known.get();
  }

  /** Takes part in the election. */
  public void start() {
    mailbox.post(
        () -> {
          if (!stopping) {
            candidacy = Optional.of(election.contend(component, mailbox, new OwnContender()));
          }
        });
  }

  /** Ends the current term and leaves the election. May be called repeatedly. */
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

  /** The candidacy is withdrawn last: the next leader starts after this one has terminated. */
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
      LOG.info("{} of this process is no longer the leader", component);
      endTerm();
    }
  }

  /** One term of this process. Confined to the mailbox. */
  public final class Term {
    private final LeaderToken token;
    private Optional<Endpoint> endpoint = Optional.empty();

    private Term(LeaderToken token) {
      this.token = token;
    }

    public LeaderToken token() {
      return token;
    }

    /** Whether this term has not ended. */
    public boolean leads() {
      mailbox.checkInside();
      return current.equals(Optional.of(this));
    }

    /**
     * Starts the endpoint of this term, unless the term has ended.
     *
     * @param failed called in the mailbox if the endpoint terminates before the term ends
     * @return completes in the mailbox when the endpoint is published as the leader
     */
    public CompletableFuture<Void> run(Endpoint newEndpoint, Consumer<Throwable> failed) {
      CompletableFuture<Void> published = new CompletableFuture<>();
      if (leads()) {
        endpoint = Optional.of(newEndpoint);
        newEndpoint.started().thenRun(() -> mailbox.post(() -> publish(newEndpoint, published)));
        newEndpoint
            .terminated()
            .whenComplete((nothing, failure) -> mailbox.post(() -> ended(failure, failed)));
        newEndpoint.start();
      }
      return published;
    }

    private void publish(Endpoint newEndpoint, CompletableFuture<Void> published) {
      Candidacy ownCandidacy = candidacy.orElseThrow();
      if (leads() && ownCandidacy.leads(token)) {
        LOG.info("{} is the leader with token {}", newEndpoint.address(), token);
        known.set(Optional.of(token));
        ownCandidacy.confirm(token, newEndpoint.address());
        published.complete(null);
      }
    }

    private void ended(Throwable failure, Consumer<Throwable> failed) {
      if (leads()) {
        failed.accept(
            failure == null
                ? new IllegalStateException(component + " terminated before its term ended")
                : Failure.unwrap(failure));
      }
    }
  }
}
