package io.millrace.sim;

import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.journal.JournalEntry;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * The events of a run. A digest over times, names and the bytes of messages is always computed;
 * subclasses render the events as text.
 */
public class Trace {
  private static final int MAX_DECISIONS = 40;

  private long digest = 0x9E37_79B9_7F4A_7C15L;
  private long entries;

  /** The newest journal entries, for the report of a failure. */
  private final Deque<Decision> decisions = new ArrayDeque<>();

  /** A journal entry of a process. */
  public record Decision(long nanos, String process, JournalEntry entry) {
    @Override
    public String toString() {
      return line(
          nanos,
          process
              + " ["
              + JournalText.component(JournalEvent.of(entry))
              + "] "
              + JournalText.title(JournalEvent.of(entry))
              + entry.job().map(job -> " job " + brief(job)).orElse("")
              + entry.worker().map(worker -> " " + worker).orElse("")
              + ": "
              + JournalText.of(entry));
    }
  }

  /** An event is executed after this. */
  final void event(long nanos, Object what) {
    mix(nanos);
    mix(what.hashCode());
  }

  /** A message arrives. */
  final void arrived(long sent, long now, String from, String to, byte[] wire, Envelope envelope) {
    mix(sent);
    mix(from.hashCode());
    mix(to.hashCode());
    for (int i = 0; i < wire.length; i++) {
      digest = (digest ^ wire[i]) * 0x1000_0000_01b3L;
    }
    onArrival(sent, now, from, to, envelope);
  }

  /** A message is lost. */
  final void lost(long sent, String from, String to, Envelope envelope) {
    mix(sent);
    mix(from.hashCode() ^ 1);
    onLoss(sent, from, to, envelope);
  }

  /** The state of a process changes. */
  public final void note(long nanos, String process, String what) {
    mix(nanos);
    mix(what.hashCode());
    onNote(nanos, process, what);
  }

  /** A fault is injected or ends. */
  public final void fault(long nanos, String what) {
    mix(nanos);
    mix(what.hashCode());
    onFault(nanos, what);
  }

  final void decided(long nanos, String process, JournalEntry entry) {
    mix(nanos);
    mix(JournalText.of(entry).hashCode());
    Decision decision = new Decision(nanos, process, entry);
    decisions.addLast(decision);
    if (decisions.size() > MAX_DECISIONS) {
      decisions.removeFirst();
    }
    onDecision(decision);
  }

  /** The newest decisions, oldest first. */
  public final List<String> lastDecisions() {
    return Collections.unmodifiableList(decisions.stream().map(Decision::toString).toList());
  }

  /** The digest of the run so far. */
  public final String digest() {
    return String.format("%016x-%d", digest, entries);
  }

  protected void onArrival(long sent, long now, String from, String to, Envelope envelope) {}

  protected void onLoss(long sent, String from, String to, Envelope envelope) {}

  protected void onNote(long nanos, String process, String what) {}

  protected void onFault(long nanos, String what) {}

  protected void onDecision(Decision decision) {}

  private void mix(long value) {
    entries++;
    digest = (digest ^ value) * 0x1000_0000_01b3L;
    digest ^= digest >>> 29;
  }

  /** An id shortened to its first eight characters. */
  public static String brief(Object id) {
    String text = id.toString();
    return text.length() <= 8 ? text : text.substring(0, 8);
  }

  /** A line that begins with its time in seconds. */
  public static String line(long nanos, String text) {
    // Without String.format, because there is a line per message.
    long micros = (nanos + 500) / 1000;
    String seconds = String.valueOf(micros / 1_000_000);
    String rest = String.valueOf(1_000_000 + micros % 1_000_000).substring(1);
    return " ".repeat(Math.max(0, 4 - seconds.length())) + seconds + "." + rest + " " + text;
  }
}
