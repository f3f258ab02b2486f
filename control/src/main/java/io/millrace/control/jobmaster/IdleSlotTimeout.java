package io.millrace.control.jobmaster;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Gives slots back that nobody has used for too long. Lives in the JobMaster's mailbox. */
final class IdleSlotTimeout {
  private final Env env;
  private final Mailbox mailbox;
  private final SlotPool pool;
  private final Consumer<AllocatedSlot> giveBack;
  private Mailbox.Timer timer = () -> {};
  private boolean runs;

  IdleSlotTimeout(Env env, Mailbox mailbox, SlotPool pool, Consumer<AllocatedSlot> giveBack) {
    this.env = env;
    this.mailbox = mailbox;
    this.pool = pool;
    this.giveBack = giveBack;
  }

  /** Slots may have become idle. */
  void watch() {
    OptionalLong next = pool.nextExpiry();
    if (runs || next.isEmpty()) {
      return;
    }
    runs = true;
    Duration left = Duration.ofNanos(Math.max(0, next.getAsLong() - env.nanos()));
    timer =
        mailbox.after(
            left,
            () -> {
              runs = false;
              pool.expire(env.nanos()).forEach(giveBack);
              watch();
            });
  }

  void close() {
    timer.cancel();
    runs = true;
  }
}
