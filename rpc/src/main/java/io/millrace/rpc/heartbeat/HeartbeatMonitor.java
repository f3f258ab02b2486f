package io.millrace.rpc.heartbeat;

import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Watches a number of others for silence. One side asks: it gives an {@code ask} that sends its
 * payload and calls {@link #heard} when the answer with the other's payload is there. The other
 * side is asked, gives no {@code ask}, and calls {@link #heard} whenever it is. Lives in one
 * mailbox.
 *
 * @param <K> what the others are known by
 */
public final class HeartbeatMonitor<K extends Comparable<K>> {
  private final Env env;
  private final Mailbox mailbox;
  private final HeartbeatSettings settings;
  private final Consumer<K> silent;
  private final Map<K, Watched> watched = new LinkedHashMap<>();

  private final class Watched {
    private final Runnable ask;
    private long lastHeard = env.nanos();

    /** When the first question was put that has no answer yet; nothing where all have. */
    private OptionalLong waitingSince = OptionalLong.empty();

    private Mailbox.Timer nextAsk = () -> {};
    private Mailbox.Timer nextCheck = () -> {};

    private final boolean isAsked;

    Watched(Runnable ask, boolean isAsked) {
      this.ask = ask;
      this.isAsked = isAsked;
    }
  }

  /**
   * @param silent told who was silent for longer than the time-out; that one is forgotten by then
   */
  public HeartbeatMonitor(
      Env env, Mailbox mailbox, HeartbeatSettings settings, Consumer<K> silent) {
    this.env = env;
    this.mailbox = mailbox;
    this.settings = settings;
    this.silent = silent;
  }

  /** Watches somebody who asks us. */
  public void watch(K key) {
    watch(key, new Watched(() -> {}, false));
  }

  /** Watches somebody whom we ask, at once and at every interval. */
  public void watch(K key, Runnable ask) {
    watch(key, new Watched(ask, true));
  }

  private void watch(K key, Watched target) {
    mailbox.checkInside();
    forget(key);
    watched.put(key, target);
    check(key, target);
    ask(key, target);
  }

  public void heard(K key) {
    mailbox.checkInside();
    Watched target = watched.get(key);
    if (target != null) {
      target.lastHeard = env.nanos();
      target.waitingSince = OptionalLong.empty();
    }
  }

  public void forget(K key) {
    mailbox.checkInside();
    Watched target = watched.remove(key);
    if (target != null) {
      target.nextAsk.cancel();
      target.nextCheck.cancel();
    }
  }

  public void close() {
    new ArrayList<>(watched.keySet()).forEach(this::forget);
  }

  private void ask(K key, Watched target) {
    if (target.isAsked && target.waitingSince.isEmpty()) {
      target.waitingSince = OptionalLong.of(env.nanos());
    }
    target.ask.run();
    if (watched.get(key) != target) {
      return; // forgotten while it was asked
    }
    target.nextAsk = mailbox.after(settings.interval(), () -> ask(key, target));
  }

  /**
   * How much longer somebody may be silent. Whoever is asked has the time between two questions
   * less than the time-out to answer one: where this process was frozen and could not ask, the
   * others are not to blame.
   */
  private long left(Watched target) {
    long now = env.nanos();
    long left = settings.timeout().toNanos() - (now - target.lastHeard);
    if (target.isAsked) {
      long patience = settings.timeout().minus(settings.interval()).toNanos();
      long waited = target.waitingSince.isPresent() ? now - target.waitingSince.getAsLong() : 0;
      left = Math.max(left, patience - waited);
    }
    return left;
  }

  private void check(K key, Watched target) {
    long left = left(target);
    if (left > 0) {
      target.nextCheck = mailbox.after(Duration.ofNanos(left), () -> check(key, target));
      return;
    }
    // The process may have been frozen with the answer already in its mailbox: look there first.
    mailbox.post(
        () -> {
          if (watched.get(key) != target) {
            return;
          }
          if (left(target) > 0) {
            check(key, target);
          } else {
            forget(key);
            silent.accept(key);
          }
        });
  }
}
