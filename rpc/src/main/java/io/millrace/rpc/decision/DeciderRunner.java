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
 * Lets a {@link Decider} decide, performs its actions and wakes it when it asks for that. An event
 * that arises while actions are performed is applied after them. Lives in one mailbox.
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
   * @param tick the event that says that time has passed
   * @param perform carries out what one event leads to
   * @param settled told when all events there were have been applied
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
   * Returns when this event and those that it led to have been applied; at once where an earlier
   * event is being applied, which this one then follows.
   */
  public void apply(E event) {
    mailbox.checkInside();
    if (stopped) {
      return;
    }
    events.add(event);
    if (applying) {
      return;
    }
    applying = true;
    try {
      while (!events.isEmpty()) {
        perform.accept(decider.apply(events.remove(), env.nanos()));
      }
    } finally {
      applying = false;
    }
    setTimer();
    settled.run();
  }

  /** Applies nothing more and cancels the timer. */
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
