package io.millrace.sim.check;

import io.millrace.core.config.Options;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.journal.Event;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What holds of heartbeats. */
final class SilenceRules {
  private SilenceRules() {}

  static final class NobodyIsCalledSilentWhoAnswered extends Invariant {
    private final Map<String, Long> heard = new LinkedHashMap<>();

    /** Who is asked by a question that has no answer yet. */
    private final Map<Question, String> asked = new LinkedHashMap<>();

    /** A process that starts again counts its calls anew: an older question is replaced then. */
    private record Question(String from, String to, long number) {}

    NobodyIsCalledSilentWhoAnswered() {
      super("A heartbeat loss is never reported for a process that answered in time.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent) {
        asks(sent.from(), sent.to(), sent.call())
            .ifPresent(
                who ->
                    asked.put(
                        new Question(sent.from(), sent.to(), sent.call().correlation()), who));
      } else if (fact instanceof Fact.Heard answer) {
        asks(answer.at().name(), answer.from(), answer.call())
            .filter(who -> asked.remove(question(answer), who))
            .filter(who -> answer.answer() instanceof Envelope.Reply)
            .ifPresent(who -> heard.put(who, world().nanos()));
      } else if (fact instanceof Fact.Decided decided && decided.event().worker().isPresent()) {
        decided(decided.process().name(), decided.event());
      }
    }

    private static Question question(Fact.Heard answer) {
      return new Question(answer.at().name(), answer.from(), answer.call().correlation());
    }

    private static Optional<String> asks(String from, String to, Envelope.Call call) {
      if (call.message() instanceof AskWorker) {
        return Optional.of(from + " hears " + to);
      }
      return call.message() instanceof AskTasks asked
          ? Optional.of(from + " hears " + to + " of " + asked.job())
          : Optional.empty();
    }

    private void decided(String process, Event event) {
      boolean ofJob = event.component().equals("jobmaster");
      if (!ofJob && !event.component().equals("resourcemanager")) {
        return;
      }
      String who =
          process
              + " hears "
              + event.worker().orElseThrow()
              + (ofJob ? " of " + event.job().orElseThrow() : "");
      if (event.what().equals("worker registered")) {
        // Answers to what was asked before are of somebody who was given up since.
        asked.values().removeIf(who::equals);
        heard.remove(who);
      } else if (event.what().equals("worker lost")
          && event
              .detail()
              .contains(ofJob ? "it did not answer for" : "did not answer heartbeats in time")) {
        check(who, event);
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
