package io.millrace.control.jobmaster;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Returns slots that were idle for too long. Confined to the mailbox of the JobMaster. */
final class IdleSlotTimeout {
  private final Env env;
  private final Mailbox mailbox;
  private final SlotPool pool;
  private final Consumer<AllocatedSlot> release;
  private Mailbox.Timer timer = () -> {};
  private boolean scheduled;

  IdleSlotTimeout(Env env, Mailbox mailbox, SlotPool pool, Consumer<AllocatedSlot> release) {
    this.env = env;
    this.mailbox = mailbox;
    this.pool = pool;
    this.release = release;
  }

  /** Schedules the next time-out. Called when slots may have become idle. */
  void schedule() {
    OptionalLong next = pool.nextExpiry();
    if (scheduled || next.isEmpty()) {
      return;
    }
    scheduled = true;
    Duration remaining = Duration.ofNanos(Math.max(0, next.getAsLong() - env.nanos()));
    timer =
        mailbox.after(
            remaining,
            () -> {
              scheduled = false;
              pool.expire(env.nanos()).forEach(release);
              schedule();
            });
  }

  void close() {
    timer.cancel();
    scheduled = true;
  }
}
