package io.millrace.sim.check;

import io.millrace.core.config.Options;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.journal.Event;
import java.util.LinkedHashMap;
import java.util.Map;

/** What holds of heartbeats. */
final class SilenceRules {
  private SilenceRules() {}

  static final class NobodyIsCalledSilentWhoAnswered extends Invariant {
    private final Map<String, Long> heard = new LinkedHashMap<>();

    NobodyIsCalledSilentWhoAnswered() {
      super("A heartbeat loss is never reported for a process that answered in time.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Heard answer && answer.answer() instanceof Envelope.Reply) {
        if (answer.call().message() instanceof AskWorker) {
          heard.put(answer.at() + " hears " + answer.from(), world().nanos());
        } else if (answer.call().message() instanceof AskTasks asked) {
          heard.put(
              answer.at() + " hears " + answer.from() + " of " + asked.job(), world().nanos());
        }
      } else if (fact instanceof Fact.Decided decided
          && decided.event().what().equals("worker lost")
          && decided.event().worker().isPresent()) {
        Event event = decided.event();
        String worker = event.worker().get().value();
        if (event.component().equals("resourcemanager")
            && event.detail().contains("did not answer heartbeats in time")) {
          check(decided.process() + " hears " + worker, event);
        } else if (event.component().equals("jobmaster")
            && event.detail().contains("it did not answer for")) {
          check(decided.process() + " hears " + worker + " of " + event.job().orElseThrow(), event);
        }
      }
    }

    private void check(String who, Event event) {
      Long last = heard.get(who);
      long timeout = world().scenario().configuration().get(Options.HEARTBEAT_TIMEOUT).toNanos();
      if (last != null && world().nanos() - last < timeout) {
        throw broken(
            who
                + " "
                + (world().nanos() - last) / 1_000_000
                + " ms before this is said: "
                + event.detail());
      }
    }
  }
}
