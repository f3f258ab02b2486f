package io.millrace.sim.tool;

import io.millrace.rpc.Envelope;
import io.millrace.sim.Trace;
import java.util.function.Consumer;

/** A trace as lines with time, sender, receiver and message. */
final class TextTrace extends Trace {
  private final Consumer<String> lines;

  TextTrace(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  protected void onArrival(long sent, long now, String from, String to, Envelope envelope) {
    lines.accept(
        line(
            now,
            from
                + " -> "
                + to
                + " "
                + MessageSummary.of(envelope)
                + (now - sent > 100_000_000
                    ? " (sent " + (now - sent) / 1_000_000 + " ms ago)"
                    : "")));
  }

  @Override
  protected void onLoss(long sent, String from, String to, Envelope envelope) {
    lines.accept(line(sent, from + " -x " + to + " " + MessageSummary.of(envelope)));
  }

  @Override
  protected void onNote(long nanos, String process, String what) {
    lines.accept(line(nanos, "** " + process + " " + what));
  }

  @Override
  protected void onFault(long nanos, String what) {
    lines.accept(line(nanos, "!! " + what));
  }

  @Override
  protected void onDecision(Decision decision) {
    lines.accept(decision.toString());
  }
}
