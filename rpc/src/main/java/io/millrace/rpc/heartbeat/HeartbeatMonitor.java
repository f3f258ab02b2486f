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
 * Detects targets that send no heartbeat within the time-out. There are two modes per target. With
 * a {@code request}, this side sends a heartbeat request at every interval and calls {@link #heard}
 * when the answer arrives. Without one, the other side sends the requests, and this side calls
 * {@link #heard} for each of them. Lives in one mailbox.
 *
 * @param <K> the id of a target
 */
public final class HeartbeatMonitor<K extends Comparable<K>> {
  private final Env env;
  private final Mailbox mailbox;
  private final HeartbeatSettings settings;
  private final Consumer<K> timedOut;
  private final Map<K, Target> targets = new LinkedHashMap<>();

  private final class Target {
    private final Runnable request;
    private long lastHeard = env.nanos();

    /** The time of the first request that has no answer yet; empty if all have one. */
    private OptionalLong unansweredSince = OptionalLong.empty();

    private Mailbox.Timer nextRequest = () -> {};
    private Mailbox.Timer nextCheck = () -> {};

    private final boolean isRequested;

    Target(Runnable request, boolean isRequested) {
      this.request = request;
      this.isRequested = isRequested;
    }
  }

  /**
   * @param timedOut called with a target that sent no heartbeat within the time-out. The target is
   *     no longer monitored by then.
   */
  public HeartbeatMonitor(
      Env env, Mailbox mailbox, HeartbeatSettings settings, Consumer<K> timedOut) {
    this.env = env;
    this.mailbox = mailbox;
    this.settings = settings;
    this.timedOut = timedOut;
  }

  /** Monitors a target that sends heartbeat requests to this side. */
  public void watch(K key) {
    watch(key, new Target(() -> {}, false));
  }

  /**
   * Monitors a target to which this side sends a heartbeat request, at once and at every interval.
   */
  public void watch(K key, Runnable request) {
    watch(key, new Target(request, true));
  }

  private void watch(K key, Target target) {
    mailbox.checkInside();
    forget(key);
    targets.put(key, target);
    check(key, target);
    request(key, target);
  }

  public void heard(K key) {
    mailbox.checkInside();
    Target target = targets.get(key);
    if (target != null) {
      target.lastHeard = env.nanos();
      target.unansweredSince = OptionalLong.empty();
    }
  }

  public void forget(K key) {
    mailbox.checkInside();
    Target target = targets.remove(key);
    if (target != null) {
      target.nextRequest.cancel();
      target.nextCheck.cancel();
    }
  }

  public void close() {
    new ArrayList<>(targets.keySet()).forEach(this::forget);
  }

  private void request(K key, Target target) {
    if (target.isRequested && target.unansweredSince.isEmpty()) {
      target.unansweredSince = OptionalLong.of(env.nanos());
    }
    target.request.run();
    if (targets.get(key) != target) {
      return; // The request has removed the target.
    }
    target.nextRequest = mailbox.after(settings.interval(), () -> request(key, target));
  }

  /**
   * The time until the target times out. A target that gets requests has the time-out less one
   * interval to answer the first open request. Without this rule a process that was frozen and sent
   * no requests would take its targets for dead.
   */
  private long left(Target target) {
    long now = env.nanos();
    long left = settings.timeout().toNanos() - (now - target.lastHeard);
    if (target.isRequested) {
      long answerTimeout = settings.timeout().minus(settings.interval()).toNanos();
      long unanswered =
          target.unansweredSince.isPresent() ? now - target.unansweredSince.getAsLong() : 0;
      left = Math.max(left, answerTimeout - unanswered);
    }
    return left;
  }

  private void check(K key, Target target) {
    long left = left(target);
    if (left > 0) {
      target.nextCheck = mailbox.after(Duration.ofNanos(left), () -> check(key, target));
      return;
    }
    // After a freeze of this process the heartbeat may already be in the mailbox: the check runs
    // behind it.
    mailbox.post(
        () -> {
          if (targets.get(key) != target) {
            return;
          }
          if (left(target) > 0) {
            check(key, target);
          } else {
            forget(key);
            timedOut.accept(key);
          }
        });
  }
}
