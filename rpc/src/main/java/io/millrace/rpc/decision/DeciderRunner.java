package io.millrace.rpc.decision;

import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Runs a {@link Decider}: applies events, performs the actions and sets the timer that the decider
 * asks for. An event that arises while actions are performed is applied after them. Lives in one
 * mailbox.
 */
public final class DeciderRunner<E, A> {
  private final Env env;
  private final Mailbox mailbox;
  private final Decider<E, A> decider;
  private final E tick;
  private final Consumer<List<A>> perform;
  private final Runnable settled;
  private final Queue<E> events = new ArrayDeque<>();
  private OptionalLong wakeAt = OptionalLong.empty();
  private Mailbox.Timer wake = () -> {};
  private boolean applying;
  private boolean stopped;

  /**
   * @param tick the event that is applied when the timer fires
   * @param perform performs the actions of one event
   * @param settled called when all queued events have been applied
   */
  public DeciderRunner(
      Env env,
      Mailbox mailbox,
      Decider<E, A> decider,
      E tick,
      Consumer<List<A>> perform,
      Runnable settled) {
    this.env = env;
    this.mailbox = mailbox;
    this.decider = decider;
    this.tick = tick;
    this.perform = perform;
    this.settled = settled;
  }

  /**
   * Returns when this event and the events that it caused have been applied. If an earlier event is
   * being applied, returns at once and the event is applied after it.
   */
  public void apply(E event) {
    mailbox.checkInside();
    if (stopped) {
      return;
    }
    events.add(event);
    if (!applying) {
      applyQueued();
    }
  }

  private void applyQueued() {
    applying = true;
    try {
      while (!events.isEmpty()) {
        perform.accept(decider.apply(events.remove(), env.nanos()));
      }
    } finally {
      applying = false;
      if (!events.isEmpty()) {
        // The event failed. The events behind it and the timer do not depend on it.
        mailbox.post(this::applyLeft);
      }
      setTimer();
    }
    settled.run();
  }

  private void applyLeft() {
    if (!events.isEmpty()) {
      applyQueued();
    }
  }

  /** Drops queued events, applies no later ones and cancels the timer. */
  public void stop() {
    stopped = true;
    events.clear();
    wake.cancel();
  }

  private void setTimer() {
    OptionalLong next = decider.nextWake();
    if (stopped || next.equals(wakeAt)) {
      return;
    }
    wake.cancel();
    wakeAt = next;
    if (next.isPresent()) {
      wake =
          mailbox.after(
              Duration.ofNanos(Math.max(0, next.getAsLong() - env.nanos())),
              () -> {
                wakeAt = OptionalLong.empty();
                apply(tick);
              });
    }
  }
}
