package io.millrace.control.resourcemanager;

import io.millrace.control.token.TokenAction;
import io.millrace.control.token.TokenEvent;
import io.millrace.control.token.TokenPlan;
import io.millrace.control.token.TokenSettings;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.DelegationToken;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.TaskManagerGateway.UpdateTokens;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.decision.DeciderRunner;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what the {@link TokenPlan} says: obtains delegation tokens, which this process takes, too,
 * and sends them to workers. Where there is no provider there is no plan and nothing to do. Lives
 * in the ResourceManager's mailbox.
 */
final class DelegationTokenManager {
  private static final Logger LOG = LoggerFactory.getLogger(DelegationTokenManager.class);

  /** In bytes; all tokens together go in one message. */
  private static final int LARGEST = 128 << 10;

  private final ResourceManagerContext term;
  private final DelegationTokens tokens;
  private final Function<WorkerId, TaskManagerGateway> workers;
  private final Optional<TokenPlan> plan;
  private final Optional<DeciderRunner<TokenEvent, TokenAction>> decisions;

  /**
   * @param workers the gateways of registered workers
   */
  DelegationTokenManager(
      ResourceManagerContext term,
      DelegationTokens tokens,
      Function<WorkerId, TaskManagerGateway> workers) {
    this.term = term;
    this.tokens = tokens;
    this.workers = workers;
    List<String> services = tokens.obtainable();
    this.plan =
        services.isEmpty()
            ? Optional.empty()
            : Optional.of(new TokenPlan(TokenSettings.from(term.configuration()), services));
    this.decisions =
        plan.map(
            own ->
                new DeciderRunner<>(
                    term.env(),
                    term.mailbox(),
                    own,
                    new TokenEvent.Tick(),
                    actions -> actions.forEach(this::act),
                    () -> {}));
  }

  /** Obtains the first token of every service; fails where one does not come. */
  CompletableFuture<Void> start() {
    List<CompletableFuture<Void>> first = new ArrayList<>();
    if (plan.isPresent()) {
      LOG.info("Obtaining delegation tokens for {}", tokens.obtainable());
      for (String service : tokens.obtainable()) {
        first.add(obtain(service).thenAccept(this::apply));
      }
    }
    return CompletableFuture.allOf(first.toArray(new CompletableFuture<?>[0]));
  }

  void stop() {
    decisions.ifPresent(DeciderRunner::stop);
  }

  /** A worker has registered; returns the tokens that its answer brings. */
  List<IssuedToken> joined(WorkerId worker, InstanceId instance) {
    apply(new TokenEvent.WorkerJoined(worker, instance));
    return plan.map(TokenPlan::current).orElseGet(ArrayList::new);
  }

  void left(WorkerId worker, InstanceId instance) {
    apply(new TokenEvent.WorkerLeft(worker, instance));
  }

  private void apply(TokenEvent event) {
    term.mailbox().checkInside();
    decisions.ifPresent(own -> own.apply(event));
  }

  private void act(TokenAction action) {
    if (action instanceof TokenAction.Obtain wanted) {
      renew(wanted.service());
    } else if (action instanceof TokenAction.Send send) {
      send(send);
    } else if (action instanceof TokenAction.Note note) {
      String text = JournalText.of(note.event());
      if (note.trouble()) {
        LOG.warn("{}", text);
      } else {
        LOG.info("{}", text);
      }
      JournalEntry entry = note.event().entry();
      term.journal().accept(note.worker().map(entry::onWorker).orElse(entry));
    } else {
      throw new IllegalArgumentException("Unknown action " + action);
    }
  }

  private void renew(String service) {
    obtain(service)
        .whenComplete(
            (event, failure) ->
                apply(
                    failure == null
                        ? event
                        : new TokenEvent.Failed(service, ErrorReason.of(failure))));
  }

  private CompletableFuture<TokenEvent> obtain(String service) {
    return term.env()
        .io()
        .call(
            term.mailbox(),
            () ->
                tokens
                    .obtain(service)
                    .map(token -> obtained(service, token))
                    .orElseGet(() -> new TokenEvent.NotNeeded(service)));
  }

  private TokenEvent obtained(String service, DelegationToken token) {
    if (token.content().length() > LARGEST) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The delegation token of '"
              + service
              + "' has "
              + token.content().length()
              + " bytes; more than "
              + LARGEST
              + " cannot be sent to workers.");
    }
    Instant now = Instant.ofEpochMilli(term.env().wallMillis());
    Optional<Duration> life = token.validUntil().map(until -> Duration.between(now, until));
    if (life.isPresent() && life.get().compareTo(Duration.ZERO) <= 0) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The delegation token of '"
              + service
              + "' is valid until "
              + token.validUntil().get()
              + ", but here it is already "
              + now
              + ". Compare the clocks of both machines.");
    }
    return new TokenEvent.Obtained(service, token.content(), life);
  }

  private void send(TokenAction.Send send) {
    workers
        .apply(send.worker())
        .updateTokens(new UpdateTokens(term.token(), send.instance(), send.tokens()))
        .whenComplete(
            (taken, failure) ->
                apply(
                    failure == null
                        ? new TokenEvent.Taken(send.worker(), send.instance(), send.version())
                        : new TokenEvent.NotTaken(
                            send.worker(), send.instance(), ErrorReason.of(failure))));
  }
}
