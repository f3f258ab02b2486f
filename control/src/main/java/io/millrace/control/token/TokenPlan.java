package io.millrace.control.token;

import io.millrace.control.token.TokenAction.Note;
import io.millrace.control.token.TokenAction.Obtain;
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
 * Knows the tokens of one term and who has which. Each service's token is renewed by itself, so
 * that one that lives for a minute does not have one asked for every minute that lives for a day.
 * The first token of each service is obtained by whoever makes this; events of it come in later.
 */
public final class TokenPlan implements Decider<TokenEvent, TokenAction> {
  /** Tokens that are valid for less than a moment are not renewed all the time. */
  private static final Duration SHORTEST_RENEWAL = Duration.ofSeconds(1);

  /**
   * How soon a renewal is tried again at the soonest, however little is left of the token; sooner
   * for one that lives so shortly that it would be over for most of that time.
   */
  private static final Duration SHORTEST_RETRY = Duration.ofMinutes(1);

  private static final int RETRIES_IN_A_LIFE = 4;

  /** Whatever is valid for longer than a count of nanoseconds can hold is renewed then. */
  private static final Duration LONGEST_LIFE = Duration.ofDays(36_500);

  private static final Duration SEND_RETRY = Duration.ofSeconds(10);

  private final TokenSettings settings;
  private final Map<String, Held> held = new TreeMap<>();
  private final Map<WorkerId, Recipient> recipients = new TreeMap<>();

  /** Workers that did not take what they were sent, with the time of the next try. */
  private final Map<WorkerId, Long> again = new TreeMap<>();

  /** Grows with every token that is obtained. */
  private long version;

  /** The token of one service. */
  private static final class Held {
    private Optional<IssuedToken> token = Optional.empty();

    /** The version that this token has made. */
    private long version;

    private OptionalLong endsAt = OptionalLong.empty();
    private Duration life = LONGEST_LIFE;

    /** When the next one is obtained; empty while that is under way, and where it lasts. */
    private OptionalLong dueAt = OptionalLong.empty();

    private boolean ended;
    private int failures;
  }

  /** What one registered worker has. */
  private static final class Recipient {
    private final InstanceId instance;
    private long version;
    private boolean underWay;

    Recipient(InstanceId instance, long version) {
      this.instance = instance;
      this.version = version;
    }
  }

  /**
   * @param services those whose first token is being obtained
   */
  public TokenPlan(TokenSettings settings, List<String> services) {
    this.settings = settings;
    services.forEach(service -> held.put(service, new Held()));
  }

  /** All tokens there are now, for a worker that has none. */
  public List<IssuedToken> current() {
    return newerThan(0);
  }

  /** When {@link TokenEvent.Tick} is needed next. */
  @Override
  public OptionalLong nextWake() {
    long next = Long.MAX_VALUE;
    for (Held one : held.values()) {
      next = Math.min(next, one.dueAt.orElse(Long.MAX_VALUE));
      if (!one.ended) {
        next = Math.min(next, one.endsAt.orElse(Long.MAX_VALUE));
      }
    }
    for (long at : again.values()) {
      next = Math.min(next, at);
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  /**
   * @param now a moment on the clock that only grows, in nanoseconds
   */
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
      again.remove(joined.worker());
    } else if (event instanceof WorkerLeft left) {
      recipient(left.worker(), left.instance()).ifPresent(known -> forget(left.worker()));
    } else if (event instanceof Taken taken) {
      recipient(taken.worker(), taken.instance()).ifPresent(known -> taken(known, taken, actions));
    } else if (event instanceof NotTaken refused) {
      recipient(refused.worker(), refused.instance())
          .ifPresent(known -> notTaken(known, refused, now, actions));
    } else if (!(event instanceof TokenEvent.Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    passed(now, actions);
    return actions;
  }

  private void obtained(Obtained event, long now, List<TokenAction> actions) {
    Held service = held.get(event.service());
    service.token = Optional.of(new IssuedToken(event.service(), event.content()));
    service.version = ++version;
    service.failures = 0;
    service.ended = false;
    service.endsAt = OptionalLong.empty();
    service.dueAt = OptionalLong.empty();
    Optional<Duration> lasts = Optional.empty();
    Optional<Duration> due = Optional.empty();
    if (event.life().isPresent()) {
      Duration life = shortest(event.life().get(), LONGEST_LIFE);
      Duration renewal = longest(SHORTEST_RENEWAL, part(life, settings.renewalRatio()));
      service.life = life;
      service.endsAt = OptionalLong.of(now + life.toNanos());
      service.dueAt = OptionalLong.of(now + renewal.toNanos());
      lasts = Optional.of(life);
      due = Optional.of(renewal);
    }
    actions.add(note(new TokenObtained(event.service(), lasts, due)));
    recipients.forEach((worker, known) -> send(worker, known, actions));
  }

  private void notNeeded(String name, List<TokenAction> actions) {
    Held service = held.get(name);
    service.dueAt = OptionalLong.empty();
    service.failures = 0;
    actions.add(note(new TokenNotNeeded(name)));
  }

  private void failed(Failed event, long now, List<TokenAction> actions) {
    Held service = held.get(event.service());
    service.failures++;
    Duration wait = settings.retryBackoff();
    if (service.endsAt.isPresent()) {
      Duration left = Duration.ofNanos(Math.max(0, service.endsAt.getAsLong() - now));
      Duration soonest = shortest(SHORTEST_RETRY, service.life.dividedBy(RETRIES_IN_A_LIFE));
      wait = shortest(wait, longest(soonest, left.dividedBy(2)));
    }
    service.dueAt = OptionalLong.of(now + wait.toNanos());
    actions.add(
        trouble(
            new TokenNotRenewed(event.service(), service.failures, event.reason(), wait),
            Optional.empty()));
  }

  private void taken(Recipient known, Taken event, List<TokenAction> actions) {
    known.underWay = false;
    known.version = Math.max(known.version, event.version());
    send(event.worker(), known, actions);
  }

  private void notTaken(Recipient known, NotTaken event, long now, List<TokenAction> actions) {
    known.underWay = false;
    again.put(event.worker(), now + SEND_RETRY.toNanos());
    actions.add(
        trouble(
            new TokenNotTaken(event.worker(), event.reason(), SEND_RETRY),
            Optional.of(event.worker())));
  }

  /** Does what the time has come for. */
  private void passed(long now, List<TokenAction> actions) {
    held.forEach(
        (name, service) -> {
          if (service.dueAt.isPresent() && service.dueAt.getAsLong() <= now) {
            service.dueAt = OptionalLong.empty();
            actions.add(new Obtain(name));
          }
          if (!service.ended && service.endsAt.isPresent() && service.endsAt.getAsLong() <= now) {
            service.ended = true;
            actions.add(trouble(new TokenExpired(name), Optional.empty()));
          }
        });
    List<WorkerId> due = new ArrayList<>();
    again.forEach(
        (worker, at) -> {
          if (at <= now) {
            due.add(worker);
          }
        });
    for (WorkerId worker : due) {
      again.remove(worker);
      send(worker, recipients.get(worker), actions);
    }
  }

  /** One message at a time to each worker, so that it takes them in order. */
  private void send(WorkerId worker, Recipient known, List<TokenAction> actions) {
    if (!known.underWay && known.version < version && !again.containsKey(worker)) {
      known.underWay = true;
      actions.add(new Send(worker, known.instance, version, newerThan(known.version)));
    }
  }

  private List<IssuedToken> newerThan(long version) {
    List<IssuedToken> tokens = new ArrayList<>();
    for (Held service : held.values()) {
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

  private void forget(WorkerId worker) {
    recipients.remove(worker);
    again.remove(worker);
  }

  private static Note note(ResourceManagerEvent event) {
    return new Note(event, Optional.empty(), false);
  }

  private static Note trouble(ResourceManagerEvent event, Optional<WorkerId> worker) {
    return new Note(event, worker, true);
  }

  private static Duration part(Duration whole, double ratio) {
    return Duration.ofNanos((long) (whole.toNanos() * ratio));
  }

  private static Duration longest(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration shortest(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
