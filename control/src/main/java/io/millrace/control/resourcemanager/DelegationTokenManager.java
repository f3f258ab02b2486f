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
 * Performs the actions of the {@link TokenPlan}: obtains delegation tokens, which this process
 * installs, too, and sends them to workers. Without a token provider there is no plan. Lives in the
 * mailbox of the ResourceManager.
 */
final class DelegationTokenManager {
  private static final Logger LOG = LoggerFactory.getLogger(DelegationTokenManager.class);

  /** In bytes. All tokens together are sent in one message. */
  private static final int MAX_TOKEN_SIZE = 128 << 10;

  private final ResourceManagerContext context;
  private final DelegationTokens tokens;
  private final Function<WorkerId, TaskManagerGateway> workers;
  private final Optional<TokenPlan> plan;
  private final Optional<DeciderRunner<TokenEvent, TokenAction>> decisions;

  /**
   * @param workers the gateways of registered workers
   */
  DelegationTokenManager(
      ResourceManagerContext context,
      DelegationTokens tokens,
      Function<WorkerId, TaskManagerGateway> workers) {
    this.context = context;
    this.tokens = tokens;
    this.workers = workers;
    List<String> services = tokens.obtainable();
    this.plan =
        services.isEmpty()
            ? Optional.empty()
            : Optional.of(new TokenPlan(TokenSettings.from(context.configuration()), services));
    this.decisions =
        plan.map(
            created ->
                new DeciderRunner<>(
                    context.env(),
                    context.mailbox(),
                    created,
                    new TokenEvent.Tick(),
                    actions -> actions.forEach(this::perform),
                    () -> {}));
  }

  /** Obtains the first token of each service. Fails if one cannot be obtained. */
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

  /** Adds a registered worker. Returns the tokens for the answer to its registration. */
  List<IssuedToken> joined(WorkerId worker, InstanceId instance) {
    apply(new TokenEvent.WorkerJoined(worker, instance));
    return plan.map(TokenPlan::current).orElseGet(ArrayList::new);
  }

  void left(WorkerId worker, InstanceId instance) {
    apply(new TokenEvent.WorkerLeft(worker, instance));
  }

  private void apply(TokenEvent event) {
    context.mailbox().checkInside();
    decisions.ifPresent(runner -> runner.apply(event));
  }

  private void perform(TokenAction action) {
    if (action instanceof TokenAction.Obtain obtain) {
      renew(obtain.service());
    } else if (action instanceof TokenAction.Send send) {
      send(send);
    } else if (action instanceof TokenAction.RecordEvent event) {
      String text = JournalText.of(event.event());
      if (event.warning()) {
        LOG.warn("{}", text);
      } else {
        LOG.info("{}", text);
      }
      JournalEntry entry = event.event().entry();
      context.journal().accept(event.worker().map(entry::onWorker).orElse(entry));
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
    return context
        .env()
        .io()
        .call(
            context.mailbox(),
            () ->
                tokens
                    .obtain(service)
                    .map(token -> obtained(service, token))
                    .orElseGet(() -> new TokenEvent.NotNeeded(service)));
  }

  private TokenEvent obtained(String service, DelegationToken token) {
    if (token.content().length() > MAX_TOKEN_SIZE) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The delegation token of '"
              + service
              + "' has "
              + token.content().length()
              + " bytes; more than "
              + MAX_TOKEN_SIZE
              + " cannot be sent to workers.");
    }
    Instant now = Instant.ofEpochMilli(context.env().wallMillis());
    Optional<Duration> life = token.validUntil().map(until -> Duration.between(now, until));
    if (life.isPresent() && life.get().compareTo(Duration.ZERO) <= 0) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The delegation token of '"
              + service
              + "' is valid until "
              + token.validUntil().get()
              + ", but the local time is "
              + now
              + ". Compare the clocks of both machines.");
    }
    return new TokenEvent.Obtained(service, token.content(), life);
  }

  private void send(TokenAction.Send send) {
    workers
        .apply(send.worker())
        .updateTokens(new UpdateTokens(context.token(), send.instance(), send.tokens()))
        .whenComplete(
            (taken, failure) ->
                apply(
                    failure == null
                        ? new TokenEvent.Taken(send.worker(), send.instance(), send.version())
                        : new TokenEvent.NotTaken(
                            send.worker(), send.instance(), ErrorReason.of(failure))));
  }
}
