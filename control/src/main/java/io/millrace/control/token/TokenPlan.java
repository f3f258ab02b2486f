package io.millrace.control.token;

import io.millrace.control.token.TokenAction.Obtain;
import io.millrace.control.token.TokenAction.RecordEvent;
import io.millrace.control.token.TokenAction.Send;
import io.millrace.control.token.TokenEvent.Failed;
import io.millrace.control.token.TokenEvent.NotNeeded;
import io.millrace.control.token.TokenEvent.NotTaken;
import io.millrace.control.token.TokenEvent.Obtained;
import io.millrace.control.token.TokenEvent.Taken;
import io.millrace.control.token.TokenEvent.WorkerJoined;
import io.millrace.control.token.TokenEvent.WorkerLeft;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenExpired;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenNotNeeded;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenNotRenewed;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenNotTaken;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenObtained;
import io.millrace.rpc.decision.Decider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The tokens of one term and the versions that workers have. The token of each service is renewed
 * at its own time, so that a short-lived token of one service does not cause renewals of others.
 * The creator of this plan obtains the first token of each service and applies the resulting
 * events.
 */
public final class TokenPlan implements Decider<TokenEvent, TokenAction> {
  /** Bounds the renewal rate of short-lived tokens. */
  private static final Duration MIN_RENEWAL_DELAY = Duration.ofSeconds(1);

  /**
   * The minimum time between a failed renewal and the next try, however soon the token expires. For
   * short-lived tokens it is the life of the token divided by {@link #RETRIES_PER_LIFE}.
   */
  private static final Duration MIN_RETRY_DELAY = Duration.ofMinutes(1);

  private static final int RETRIES_PER_LIFE = 4;

  /** Keeps times in nanoseconds within a {@code long}. */
  private static final Duration MAX_LIFE = Duration.ofDays(36_500);

  private static final Duration SEND_RETRY = Duration.ofSeconds(10);

  private final TokenSettings settings;
  private final Map<String, ServiceToken> services = new TreeMap<>();
  private final Map<WorkerId, Recipient> recipients = new TreeMap<>();

  /** The time of the next {@link Send} to workers that did not take the last one. */
  private final Map<WorkerId, Long> retries = new TreeMap<>();

  /** Incremented with each obtained token. */
  private long version;

  /** The token of one service. */
  private static final class ServiceToken {
    private Optional<IssuedToken> token = Optional.empty();

    /** The version of the plan when the token was obtained. */
    private long version;

    private OptionalLong expiresAt = OptionalLong.empty();
    private Duration life = MAX_LIFE;

    /** When it is renewed; empty during a renewal and for a token that does not expire. */
    private OptionalLong renewalAt = OptionalLong.empty();

    private boolean expired;
    private int failures;
  }

  /** A registered worker. */
  private static final class Recipient {
    private final InstanceId instance;
    private long version;
    private boolean sending;

    Recipient(InstanceId instance, long version) {
      this.instance = instance;
      this.version = version;
    }
  }

  /**
   * @param names the services whose first token is being obtained
   */
  public TokenPlan(TokenSettings settings, List<String> names) {
    this.settings = settings;
    names.forEach(name -> services.put(name, new ServiceToken()));
  }

  /** All current tokens, for a worker that registers. */
  public List<IssuedToken> current() {
    return newerThan(0);
  }

  /** The latest time for the next {@link TokenEvent.Tick}. */
  @Override
  public OptionalLong nextWake() {
    long next = Long.MAX_VALUE;
    for (ServiceToken service : services.values()) {
      next = Math.min(next, service.renewalAt.orElse(Long.MAX_VALUE));
      if (!service.expired) {
        next = Math.min(next, service.expiresAt.orElse(Long.MAX_VALUE));
      }
    }
    for (long retry : retries.values()) {
      next = Math.min(next, retry);
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  @Override
  public List<TokenAction> apply(TokenEvent event, long now) {
    List<TokenAction> actions = new ArrayList<>();
    if (event instanceof Obtained obtained) {
      obtained(obtained, now, actions);
    } else if (event instanceof NotNeeded unneeded) {
      notNeeded(unneeded.service(), actions);
    } else if (event instanceof Failed failed) {
      failed(failed, now, actions);
    } else if (event instanceof WorkerJoined joined) {
      recipients.put(joined.worker(), new Recipient(joined.instance(), version));
      retries.remove(joined.worker());
    } else if (event instanceof WorkerLeft left) {
      recipient(left.worker(), left.instance()).ifPresent(known -> remove(left.worker()));
    } else if (event instanceof Taken taken) {
      recipient(taken.worker(), taken.instance()).ifPresent(known -> taken(known, taken, actions));
    } else if (event instanceof NotTaken refused) {
      recipient(refused.worker(), refused.instance())
          .ifPresent(known -> notTaken(known, refused, now, actions));
    } else if (!(event instanceof TokenEvent.Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    applyTimers(now, actions);
    return actions;
  }

  private void obtained(Obtained event, long now, List<TokenAction> actions) {
    ServiceToken service = services.get(event.service());
    service.token = Optional.of(new IssuedToken(event.service(), event.content()));
    service.version = ++version;
    service.failures = 0;
    service.expired = false;
    service.expiresAt = OptionalLong.empty();
    service.renewalAt = OptionalLong.empty();
    Optional<Duration> validity = Optional.empty();
    Optional<Duration> renewalDelay = Optional.empty();
    if (event.life().isPresent()) {
      Duration life = min(event.life().get(), MAX_LIFE);
      Duration renewal = max(MIN_RENEWAL_DELAY, fraction(life, settings.renewalRatio()));
      service.life = life;
      service.expiresAt = OptionalLong.of(now + life.toNanos());
      service.renewalAt = OptionalLong.of(now + renewal.toNanos());
      validity = Optional.of(life);
      renewalDelay = Optional.of(renewal);
    }
    actions.add(info(new TokenObtained(event.service(), validity, renewalDelay)));
    recipients.forEach((worker, known) -> send(worker, known, actions));
  }

  private void notNeeded(String name, List<TokenAction> actions) {
    ServiceToken service = services.get(name);
    service.renewalAt = OptionalLong.empty();
    service.failures = 0;
    actions.add(info(new TokenNotNeeded(name)));
  }

  private void failed(Failed event, long now, List<TokenAction> actions) {
    ServiceToken service = services.get(event.service());
    service.failures++;
    Duration delay = settings.retryBackoff();
    if (service.expiresAt.isPresent()) {
      Duration left = Duration.ofNanos(Math.max(0, service.expiresAt.getAsLong() - now));
      Duration minDelay = min(MIN_RETRY_DELAY, service.life.dividedBy(RETRIES_PER_LIFE));
      delay = min(delay, max(minDelay, left.dividedBy(2)));
    }
    service.renewalAt = OptionalLong.of(now + delay.toNanos());
    actions.add(
        warning(new TokenNotRenewed(event.service(), service.failures, event.reason(), delay)));
  }

  private void taken(Recipient known, Taken event, List<TokenAction> actions) {
    known.sending = false;
    known.version = Math.max(known.version, event.version());
    send(event.worker(), known, actions);
  }

  private void notTaken(Recipient known, NotTaken event, long now, List<TokenAction> actions) {
    known.sending = false;
    retries.put(event.worker(), now + SEND_RETRY.toNanos());
    actions.add(
        new RecordEvent(
            new TokenNotTaken(event.worker(), event.reason(), SEND_RETRY),
            Optional.of(event.worker()),
            true));
  }

  private void applyTimers(long now, List<TokenAction> actions) {
    services.forEach(
        (name, service) -> {
          if (service.renewalAt.isPresent() && service.renewalAt.getAsLong() <= now) {
            service.renewalAt = OptionalLong.empty();
            actions.add(new Obtain(name));
          }
          if (!service.expired
              && service.expiresAt.isPresent()
              && service.expiresAt.getAsLong() <= now) {
            service.expired = true;
            actions.add(warning(new TokenExpired(name)));
          }
        });
    List<WorkerId> due = new ArrayList<>();
    retries.forEach(
        (worker, retry) -> {
          if (retry <= now) {
            due.add(worker);
          }
        });
    for (WorkerId worker : due) {
      retries.remove(worker);
      send(worker, recipients.get(worker), actions);
    }
  }

  /** Sends one message at a time to each worker, so that the worker takes them in order. */
  private void send(WorkerId worker, Recipient known, List<TokenAction> actions) {
    if (!known.sending && known.version < version && !retries.containsKey(worker)) {
      known.sending = true;
      actions.add(new Send(worker, known.instance, version, newerThan(known.version)));
    }
  }

  private List<IssuedToken> newerThan(long version) {
    List<IssuedToken> tokens = new ArrayList<>();
    for (ServiceToken service : services.values()) {
      if (service.version > version) {
        service.token.ifPresent(tokens::add);
      }
    }
    return tokens;
  }

  private Optional<Recipient> recipient(WorkerId worker, InstanceId instance) {
    return Optional.ofNullable(recipients.get(worker))
        .filter(known -> known.instance.equals(instance));
  }

  private void remove(WorkerId worker) {
    recipients.remove(worker);
    retries.remove(worker);
  }

  private static RecordEvent info(ResourceManagerEvent event) {
    return new RecordEvent(event, Optional.empty(), false);
  }

  private static RecordEvent warning(ResourceManagerEvent event) {
    return new RecordEvent(event, Optional.empty(), true);
  }

  private static Duration fraction(Duration whole, double ratio) {
    return Duration.ofNanos((long) (whole.toNanos() * ratio));
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
