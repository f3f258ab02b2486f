package io.millrace.control.resourcemanager;

import io.millrace.control.driver.WorkerDriver;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.protocol.Components;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election of the ResourceManager. Each term is a fresh {@link ResourceManager},
 * started when the one before has terminated and made known when it is up and still leads. One that
 * ends by itself is handed to {@code fatal}: the process has to go, another may do better.
 */
public final class ResourceManagerRunner {
  private static final Logger LOG = LoggerFactory.getLogger(ResourceManagerRunner.class);

  private final Rpc rpc;
  private final LeaderElection election;
  private final LeaderRetrieval leaders;
  private final Configuration configuration;
  private final WorkerDriver driver;
  private final Consumer<Throwable> fatal;
  private final Mailbox mailbox;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private Optional<LeaderElection.Candidacy> candidacy = Optional.empty();
  private Optional<LeaderToken> granted = Optional.empty();
  private Optional<ResourceManager> current = Optional.empty();

  /** Completes when nothing of earlier terms is left. */
  private CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

  private boolean stopping;

  public ResourceManagerRunner(
      Rpc rpc,
      LeaderElection election,
      LeaderRetrieval leaders,
      Configuration configuration,
      WorkerDriver driver,
      Consumer<Throwable> fatal) {
    this.rpc = rpc;
    this.election = election;
    this.leaders = leaders;
    this.configuration = configuration;
    this.driver = driver;
    this.fatal = fatal;
    this.mailbox = rpc.env().mailbox("resourcemanager-runner");
  }

  /** Takes part in the election from now on. */
  public void start() {
    mailbox.post(
        () -> {
          if (!stopping) {
            candidacy =
                Optional.of(
                    election.contend(Components.RESOURCE_MANAGER, mailbox, new Contending()));
          }
        });
  }

  /** Gives up leadership and ends the current term. May be called repeatedly. */
  public CompletableFuture<Void> stop() {
    mailbox.post(
        () -> {
          if (stopping) {
            return;
          }
          stopping = true;
          granted = Optional.empty();
          candidacy.ifPresent(LeaderElection.Candidacy::withdraw);
          endTerm();
          previous.whenComplete(
              (nothing, failure) -> {
                stopped.complete(null);
                mailbox.close();
              });
        });
    return stopped;
  }

  private final class Contending implements LeaderElection.Contender {
    @Override
    public void granted(LeaderToken token) {
      granted = Optional.of(token);
      endTerm();
      previous.whenComplete((nothing, failure) -> mailbox.post(() -> startTerm(token)));
    }

    @Override
    public void revoked() {
      LOG.info("The ResourceManager of this process leads no more");
      granted = Optional.empty();
      endTerm();
    }
  }

  private void startTerm(LeaderToken token) {
    if (!granted.equals(Optional.of(token)) || current.isPresent()) {
      return;
    }
    ResourceManager term;
    try {
      term = new ResourceManager(rpc, token, leaders, configuration, driver);
      term.start();
    } catch (RuntimeException e) {
      fatal.accept(e);
      return;
    }
    current = Optional.of(term);
    term.started().thenRun(() -> mailbox.post(() -> confirm(term, token)));
    term.terminated()
        .whenComplete((nothing, failure) -> mailbox.post(() -> terminated(term, failure)));
  }

  private void confirm(ResourceManager term, LeaderToken token) {
    if (current.equals(Optional.of(term)) && candidacy.orElseThrow().leads(token)) {
      LOG.info("The ResourceManager leads with token {} at {}", token, term.address());
      candidacy.orElseThrow().confirm(token, term.address());
    }
  }

  private void terminated(ResourceManager term, Throwable failure) {
    if (current.equals(Optional.of(term))) {
      current = Optional.empty();
      fatal.accept(
          failure == null
              ? new IllegalStateException("The ResourceManager ended by itself")
              : Failure.unwrap(failure));
    }
  }

  private void endTerm() {
    if (current.isPresent()) {
      ResourceManager term = current.get();
      current = Optional.empty();
      CompletableFuture<Void> ended = new CompletableFuture<>();
      term.stop().whenComplete((nothing, failure) -> ended.complete(null));
      previous = previous.thenCombine(ended, (before, now) -> null);
    }
  }
}
