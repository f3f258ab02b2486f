package io.millrace.sim.check;

import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.journal.ResourceManagerEvent.ApplicationDeregistered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimTokens;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Invariants of delegation tokens. */
final class TokenRules {
  private TokenRules() {}

  /**
   * Checks twice a second, in the calm phase and after the time that renewals need: hanging
   * requests are answered, the next renewal was made, and tokens that a worker refused were sent
   * again. Before that a worker may have an older token; the journal has the reason.
   */
  static final class TokensAreFresh extends Invariant {
    private static final long PAUSE = Duration.ofMillis(500).toNanos();

    /** Time for messages to arrive. */
    private static final long MOMENT = Duration.ofSeconds(1).toNanos();

    private static final Duration RESEND_DELAY = Duration.ofSeconds(11);

    private final Map<String, Long> registered = new LinkedHashMap<>();
    private long calmSince = -1;
    private long next;

    TokensAreFresh() {
      super(
          "Every registered worker has the newest delegation token, and no expired one while the"
              + " token service works.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        registered.clear();
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      decided(decided.entry());
    }

    private void decided(JournalEntry entry) {
      if (entry.event() instanceof SlotsReported) {
        registered.put(entry.worker().orElseThrow().value(), world().nanos());
      } else if (entry.event() instanceof TaskManagerLost) {
        registered.remove(entry.worker().orElseThrow().value());
      } else if (entry.event() instanceof ApplicationDeregistered) {
        // All workers end, and one that ends late gets no more tokens.
        registered.clear();
      }
    }

    @Override
    protected void afterEvent() {
      if (!world().isCalm() || world().tokens().isEmpty() || world().nanos() < next) {
        return;
      }
      long now = world().nanos();
      next = now + PAUSE;
      calmSince = calmSince < 0 ? now : calmSince;
      SimTokens service = world().tokens().get();
      Duration renewalTime =
          service.lifetime().dividedBy(2).plus(SimTokens.HANGING).plus(RESEND_DELAY);
      if (now - calmSince < renewalTime.toNanos()) {
        return;
      }
      for (SimulatedWorld.Worker worker : world().workers()) {
        Long since = registered.get(worker.name());
        if (since != null && now - since > MOMENT) {
          check(worker, service, now);
        }
      }
    }

    private void check(SimulatedWorld.Worker worker, SimTokens service, long now) {
      long age = now - worker.tokens().issuedAt();
      if (worker.tokens().number() == 0 || age > service.lifetime().toNanos()) {
        throw broken(worker.name() + " has a token that is " + age / 1_000_000 + " ms old");
      }
      if (worker.tokens().number() < service.newest() && now - service.newestAt() > MOMENT) {
        throw broken(
            worker.name()
                + " has token "
                + worker.tokens().number()
                + " and the newest is "
                + service.newest());
      }
    }
  }
}
