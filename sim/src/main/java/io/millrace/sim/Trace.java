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
 * What happened, event by event. A digest of everything is always kept, over times, names and the
 * bytes of messages; lines for people are made only where somebody will read them.
 */
public class Trace {
  private static final int KEPT = 40;

  private long digest = 0x9E37_79B9_7F4A_7C15L;
  private long entries;

  /** The newest entries of journals, for the report of a failure. */
  private final Deque<Decision> decisions = new ArrayDeque<>();

  /** An entry in the journal of a process. */
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

  /** An event of the queue is about to run. */
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
    carried(sent, now, from, to, envelope);
  }

  /** A message never arrives. */
  final void lost(long sent, String from, String to, Envelope envelope) {
    mix(sent);
    mix(from.hashCode() ^ 1);
    dropped(sent, from, to, envelope);
  }

  /** Something becomes of a process. */
  final void note(long nanos, String process, String what) {
    mix(nanos);
    mix(what.hashCode());
    noted(nanos, process, what);
  }

  /** The world does something to its inhabitants. */
  public final void fault(long nanos, String what) {
    mix(nanos);
    mix(what.hashCode());
    befell(nanos, what);
  }

  final void decided(long nanos, String process, JournalEntry entry) {
    mix(nanos);
    mix(JournalText.of(entry).hashCode());
    Decision decision = new Decision(nanos, process, entry);
    decisions.addLast(decision);
    if (decisions.size() > KEPT) {
      decisions.removeFirst();
    }
    told(decision);
  }

  /** The newest decisions, oldest first. */
  public final List<String> lastDecisions() {
    return Collections.unmodifiableList(decisions.stream().map(Decision::toString).toList());
  }

  /** A hash over everything so far. */
  public final String digest() {
    return String.format("%016x-%d", digest, entries);
  }

  protected void carried(long sent, long now, String from, String to, Envelope envelope) {}

  protected void dropped(long sent, String from, String to, Envelope envelope) {}

  protected void noted(long nanos, String process, String what) {}

  protected void befell(long nanos, String what) {}

  protected void told(Decision decision) {}

  private void mix(long value) {
    entries++;
    digest = (digest ^ value) * 0x1000_0000_01b3L;
    digest ^= digest >>> 29;
  }

  /** An id as people tell it from others. */
  public static String brief(Object id) {
    String text = id.toString();
    return text.length() <= 8 ? text : text.substring(0, 8);
  }

  /** A line that begins with its time in seconds. */
  public static String line(long nanos, String text) {
    // Not by a format: there is a line for each message.
    long micros = (nanos + 500) / 1000;
    String seconds = String.valueOf(micros / 1_000_000);
    String rest = String.valueOf(1_000_000 + micros % 1_000_000).substring(1);
    return " ".repeat(Math.max(0, 4 - seconds.length())) + seconds + "." + rest + " " + text;
  }
}
